// SPDX-License-Identifier: Apache-2.0
// Writes the records of options that stand together under one heading of a command's help.
#pragma once

#include <string>
#include <vector>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

// `fallback` is the default as text, "" for "not set"; see OptionRecord for the rest.
class OptionGroup {
 public:
  OptionGroup(std::string command, std::string heading);

  OptionGroup& flag(const std::string& name, const std::string& help);
  OptionGroup& integer(const std::string& name, const std::string& fallback, const Bounds& bounds,
                       const std::string& help);
  OptionGroup& real(const std::string& name, const std::string& fallback, const Bounds& bounds,
                    const std::string& help);
  OptionGroup& choice(const std::string& name, const std::string& fallback,
                      const std::vector<std::string>& choices, const std::string& help);
  OptionGroup& text(const std::string& name, const std::string& fallback,
                    const std::string& value_name, const std::string& help);
  // The default_note of the option that was added last.
  OptionGroup& unless_given(const std::string& default_note);

  // In the order in which they were added.
  const std::vector<OptionRecord>& records() const { return records_; }

 private:
  OptionRecord& add(const std::string& name, OptionType type, const std::string& fallback,
                    const std::string& help);

  std::string command_;
  std::string heading_;
  std::vector<OptionRecord> records_;
};

// The records of all groups, one after the other.
std::vector<OptionRecord> records_of(const std::vector<OptionGroup>& groups);

}  // namespace reprise::cli
