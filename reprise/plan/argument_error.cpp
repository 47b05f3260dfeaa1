// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/argument_error.h"

#include "reprise/plan/shortened.h"

namespace reprise {
namespace {

constexpr std::string_view kBehindPlace = ": ";
constexpr std::string_view kBehindName = " must be ";
constexpr std::string_view kBehindExpectation = ", got ";
constexpr std::string_view kBehindValue = ": ";

std::string message(std::string_view place, std::string_view name, std::string_view expectation,
                    std::string_view value, std::string_view remark) {
  std::string text(place);
  text.append(kBehindPlace).append(name).append(kBehindName).append(expectation);
  text.append(kBehindExpectation).append(shortened(value));
  return remark.empty() ? text : text.append(kBehindValue).append(remark);
}

}  // namespace

ArgumentError::ArgumentError(std::string_view place, std::string_view name,
                             std::string_view expectation, std::string_view value,
                             std::string_view remark)
    : std::invalid_argument(message(place, name, expectation, value, remark)),
      name_at_(place.size() + kBehindPlace.size()),
      expectation_at_(name_at_ + name.size() + kBehindName.size()),
      value_at_(expectation_at_ + expectation.size() + kBehindExpectation.size()),
      value_end_(value_at_ + shortened(value).size()) {}

std::string ArgumentError::name() const {
  return std::string(what()).substr(name_at_, expectation_at_ - kBehindName.size() - name_at_);
}

std::string ArgumentError::expectation() const {
  return std::string(what()).substr(expectation_at_,
                                    value_at_ - kBehindExpectation.size() - expectation_at_);
}

std::string ArgumentError::value() const {
  return std::string(what()).substr(value_at_, value_end_ - value_at_);
}

std::string ArgumentError::remark() const {
  const std::string behind = std::string(what()).substr(value_end_);
  return behind.empty() ? behind : behind.substr(kBehindValue.size());
}

}  // namespace reprise
