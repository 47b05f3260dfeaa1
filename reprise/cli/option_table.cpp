// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/option_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "reprise/cli/errors.h"
#include "reprise/cli/number_text.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

std::string bounds_text(const Bounds& bounds) {
  const bool has_min = std::isfinite(bounds.min);
  const bool has_max = std::isfinite(bounds.max);
  if (has_min && has_max) {
    return std::string(" in ") + (bounds.excludes_min ? "(" : "[") + number_text(bounds.min) +
           ", " + number_text(bounds.max) + (bounds.excludes_max ? ")" : "]");
  }
  if (has_min) {
    return std::string(bounds.excludes_min ? " > " : " >= ") + number_text(bounds.min);
  }
  if (has_max) {
    return std::string(bounds.excludes_max ? " < " : " <= ") + number_text(bounds.max);
  }
  return "";
}

bool is_within(double number, const Bounds& bounds) {
  const bool above = bounds.excludes_min ? number > bounds.min : number >= bounds.min;
  const bool below = bounds.excludes_max ? number < bounds.max : number <= bounds.max;
  return above && below;
}

// The whole of `text` must be the number.
template <class Number>
bool parse(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

bool is_value(const OptionRecord& record, const std::string& text) {
  switch (record.type) {
    case OptionType::kFlag:
      return text == "true" || text == "false";
    case OptionType::kInteger: {
      std::int64_t number = 0;
      return parse(text, number) && is_within(static_cast<double>(number), record.bounds);
    }
    case OptionType::kReal: {
      double number = 0;
      return parse(text, number) && std::isfinite(number) && is_within(number, record.bounds);
    }
    case OptionType::kChoice:
      return std::find(record.choices.begin(), record.choices.end(), text) != record.choices.end();
    case OptionType::kText:
      return !text.empty();
  }
  return false;
}

}  // namespace

std::vector<OptionRecord> CommandTable::options_of(const std::string& command) const {
  std::vector<OptionRecord> found;
  std::copy_if(options.begin(), options.end(), std::back_inserter(found),
               [&](const OptionRecord& record) {
                 return std::find(record.commands.begin(), record.commands.end(), command) !=
                        record.commands.end();
               });
  return found;
}

std::string expectation(const OptionRecord& record) {
  switch (record.type) {
    case OptionType::kFlag:
      return "no value";
    case OptionType::kInteger:
      return "an integer" + bounds_text(record.bounds);
    case OptionType::kReal:
      return "a number" + bounds_text(record.bounds);
    case OptionType::kChoice: {
      std::string text = "one of: ";
      for (const std::string& choice : record.choices) {
        text += (choice == record.choices.front() ? "" : ", ") + choice;
      }
      return text;
    }
    case OptionType::kText:
      return record.is_operand ? "a file" : record.value_name;
  }
  return "";
}

std::string display_name(const OptionRecord& record) {
  return record.is_operand ? record.value_name : "--" + record.name;
}

void check_value(const OptionRecord& record, const std::string& text) {
  if (!is_value(record, text)) {
    throw UsageError(display_name(record) + ": expected " + expectation(record) + ", got " +
                     in_quotes(text));
  }
}

OptionValues::OptionValues(const CommandTable& table, const std::string& command) {
  for (const OptionRecord& record : table.options_of(command)) {
    const bool is_flag = record.type == OptionType::kFlag;
    entries_[record.name] = {record, is_flag ? "false" : record.default_text};
  }
}

const OptionValues::Entry& OptionValues::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    throw UsageError("--" + name + ": expected an option of this command, got an unknown one");
  }
  return found->second;
}

void OptionValues::set(const std::string& name, const std::string& text) {
  check_value(entry(name).record, text);
  Entry& mine = entries_.at(name);
  mine.text = text;
  mine.is_given = true;
  mine.texts.push_back(text);
}

bool OptionValues::flag(const std::string& name) const { return entry(name).text == "true"; }

std::int64_t OptionValues::integer(const std::string& name) const {
  std::int64_t number = 0;
  parse(entry(name).text, number);
  return number;
}

double OptionValues::real(const std::string& name) const {
  double number = 0;
  parse(entry(name).text, number);
  return number;
}

const std::string& OptionValues::text(const std::string& name) const { return entry(name).text; }

const std::vector<std::string>& OptionValues::texts(const std::string& name) const {
  return entry(name).texts;
}

bool OptionValues::is_given(const std::string& name) const { return entry(name).is_given; }

}  // namespace reprise::cli
