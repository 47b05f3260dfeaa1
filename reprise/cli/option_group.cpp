// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/option_group.h"

#include <utility>

namespace reprise::cli {

OptionGroup::OptionGroup(std::string command, std::string heading)
    : command_(std::move(command)), heading_(std::move(heading)) {}

OptionGroup& OptionGroup::flag(const std::string& name, const std::string& help) {
  add(name, OptionType::kFlag, "", help);
  return *this;
}

OptionGroup& OptionGroup::integer(const std::string& name, const std::string& fallback,
                                  const Bounds& bounds, const std::string& help) {
  add(name, OptionType::kInteger, fallback, help).bounds = bounds;
  return *this;
}

OptionGroup& OptionGroup::real(const std::string& name, const std::string& fallback,
                               const Bounds& bounds, const std::string& help) {
  add(name, OptionType::kReal, fallback, help).bounds = bounds;
  return *this;
}

OptionGroup& OptionGroup::choice(const std::string& name, const std::string& fallback,
                                 const std::vector<std::string>& choices, const std::string& help) {
  add(name, OptionType::kChoice, fallback, help).choices = choices;
  return *this;
}

OptionGroup& OptionGroup::text(const std::string& name, const std::string& fallback,
                               const std::string& value_name, const std::string& help) {
  add(name, OptionType::kText, fallback, help).value_name = value_name;
  return *this;
}

OptionGroup& OptionGroup::unless_given(const std::string& default_note) {
  records_.back().default_note = default_note;
  return *this;
}

OptionRecord& OptionGroup::add(const std::string& name, OptionType type,
                               const std::string& fallback, const std::string& help) {
  return records_.emplace_back(OptionRecord{.commands = {command_},
                                            .name = name,
                                            .type = type,
                                            .default_text = fallback,
                                            .help = help,
                                            .group = heading_});
}

std::vector<OptionRecord> records_of(const std::vector<OptionGroup>& groups) {
  std::vector<OptionRecord> all;
  for (const OptionGroup& group : groups) {
    all.insert(all.end(), group.records().begin(), group.records().end());
  }
  return all;
}

}  // namespace reprise::cli
