// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/planner_record.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>

#include "reprise/plan/argument_error.h"

namespace reprise::plan {
namespace {

// The whole of `text` as a number, or nothing.
template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    names.push_back(name);
  }
  if (!text.empty() && text.back() == ',') {
    names.emplace_back();
  }
  return names;
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::string number_text(double number) {
  std::ostringstream stream;
  stream.precision(15);
  stream << number;
  return stream.str();
}

bool is_allowed(const PlannerOption& option, const std::string& text) {
  const auto is_within = [&](double number) {
    return std::isfinite(number) && option.minimum <= number && number <= option.maximum;
  };
  switch (option.kind) {
    case OptionKind::kInteger: {
      const auto number = parse<std::int64_t>(text);
      return number && is_within(static_cast<double>(*number));
    }
    case OptionKind::kNumber: {
      const auto number = parse<double>(text);
      return number && is_within(*number);
    }
    case OptionKind::kChoice:
      return std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end();
    case OptionKind::kNames: {
      const std::vector<std::string> names = split(text);
      return !names.empty() && std::find(names.begin(), names.end(), "") == names.end();
    }
  }
  return false;
}

std::string expectation(const PlannerOption& option) {
  switch (option.kind) {
    case OptionKind::kInteger:
    case OptionKind::kNumber:
      return std::string(option.kind == OptionKind::kInteger ? "an integer" : "a number") +
             " from " + number_text(option.minimum) + " to " + number_text(option.maximum);
    case OptionKind::kChoice:
      return "one of: " + join(option.choices);
    case OptionKind::kNames:
      return "names separated by commas";
  }
  return {};
}

[[noreturn]] void reject_name(const PlannerRecord& record, const std::string& place,
                              const std::string& name) {
  std::vector<std::string> known;
  known.reserve(record.options.size());
  for (const PlannerOption& option : record.options) {
    known.push_back(option.name);
  }
  throw ArgumentError(place, "an option of planner " + record.name,
                      known.empty() ? "none" : "one of: " + join(known), name);
}

[[noreturn]] void reject_value(const PlannerRecord& record, const std::string& place,
                               const PlannerOption& option, const std::string& text) {
  throw ArgumentError(place, "option " + option.name + " of planner " + record.name,
                      expectation(option), text);
}

const std::string* find_option(const PlanRequest& request, const std::string& name) {
  const auto found = request.options.find(name);
  return found == request.options.end() ? nullptr : &found->second;
}

}  // namespace

std::optional<std::int64_t> integer_option(const PlanRequest& request, const std::string& name) {
  const std::string* text = find_option(request, name);
  return text == nullptr ? std::nullopt : parse<std::int64_t>(*text);
}

std::optional<double> number_option(const PlanRequest& request, const std::string& name) {
  const std::string* text = find_option(request, name);
  return text == nullptr ? std::nullopt : parse<double>(*text);
}

std::optional<std::string> choice_option(const PlanRequest& request, const std::string& name) {
  const std::string* text = find_option(request, name);
  return text == nullptr ? std::nullopt : std::optional<std::string>(*text);
}

std::vector<std::string> names_option(const PlanRequest& request, const std::string& name) {
  const std::string* text = find_option(request, name);
  return text == nullptr ? std::vector<std::string>{} : split(*text);
}

void require_known_options(const PlannerRecord& record, const PlanRequest& request,
                           const std::string& place) {
  for (const auto& [name, text] : request.options) {
    const auto option =
        std::find_if(record.options.begin(), record.options.end(),
                     [&key = name](const PlannerOption& known) { return known.name == key; });
    if (option == record.options.end()) {
      reject_name(record, place, name);
    }
    if (!is_allowed(*option, text)) {
      reject_value(record, place, *option, text);
    }
  }
}

}  // namespace reprise::plan
