// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_list.h"

#include <algorithm>
#include <utility>

#include <ATen/record_function.h>

namespace reprise::tape {
namespace {

// Scope state of this thread, changed by RecordedOps alone: callbacks carry no data of their own.
thread_local std::vector<std::string>* recorded_names = nullptr;

std::unique_ptr<at::ObserverContext> record_name(const at::RecordFunction& function) {
  if (recorded_names != nullptr) {
    recorded_names->emplace_back(function.name());
  }
  return nullptr;
}

}  // namespace

std::string first_difference(const SeenOps& first, const SeenOps& rerun, bool compare_ends) {
  const auto [a, b] = std::mismatch(first.begin(), first.end(), rerun.begin(), rerun.end());
  const bool is_at_an_end = a == first.end() || b == rerun.end();
  if ((is_at_an_end && !compare_ends) || (a == first.end() && b == rerun.end())) {
    return "";
  }
  return "op " + std::to_string(a - first.begin()) + ": ran " +
         (a == first.end() ? std::string("nothing") : (*a)->name()) + ", then " +
         (b == rerun.end() ? std::string("nothing") : (*b)->name());
}

std::string op_text(const SeenOps& ops, std::int64_t index) {
  if (index < 0 || index >= static_cast<std::int64_t>(ops.size())) {
    return "";
  }
  return "op " + std::to_string(index) + ", " + ops[static_cast<std::size_t>(index)]->name();
}

RecordedOps::RecordedOps(std::vector<std::string>& names)
    : handle_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&record_name).scopes({at::RecordScope::FUNCTION}))),
      outer_(std::exchange(recorded_names, &names)) {}

RecordedOps::~RecordedOps() {
  recorded_names = outer_;
  at::removeCallback(handle_);
}

}  // namespace reprise::tape
