// SPDX-License-Identifier: Apache-2.0
// One table of option records that gives parsing, validation, help and documentation.
//
// 1. An option is known by its command and name; two commands may have an option of the same name
//    with another default.
// 2. A default is text that its own record accepts, or empty: "not set".
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace reprise::cli {

enum class OptionType {
  kFlag,     // present or not, takes no value
  kInteger,  // within `bounds`
  kReal,     // finite, within `bounds`
  kChoice,   // one of `choices`
  kText,     // anything; `value_name` says what
};

struct Bounds {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool excludes_min = false;
  bool excludes_max = false;
};

struct OptionRecord {
  std::vector<std::string> commands;
  std::string name;  // without the dashes
  OptionType type = OptionType::kText;
  std::string default_text;
  std::string help;  // one sentence, no full stop
  std::string group;
  std::string value_name = {};  // of kText: "FILE", "LIST"
  Bounds bounds = {};
  std::vector<std::string> choices = {};
  // Given by position instead of by name, in the order of the table. In help and messages it is
  // called `value_name`.
  bool is_operand = false;
  bool is_repeatable = false;  // may be given several times; see OptionValues::texts()
  bool is_optional = false;    // an operand that may be left out
  // For people, of an option without a default of its own: what is taken where it is not given,
  // "gpt 6, audio 4".
  std::string default_note = {};
};

struct CommandRecord {
  std::string name;
  std::string summary;
  std::string example;     // a command line that works
  std::string notes = {};  // what words in its output mean: sentences
};

struct CommandTable {
  std::string program;
  std::vector<CommandRecord> commands;
  std::vector<OptionRecord> options;

  // In the order of the table.
  std::vector<OptionRecord> options_of(const std::string& command) const;
};

// "an integer in [1, 1024]", "a number >= 0", "one of: gpt, lstm", "FILE".
std::string expectation(const OptionRecord& record);

// "--layers"; of an operand its `value_name`.
std::string display_name(const OptionRecord& record);

// Throws UsageError("--name: expected ..., got '...'") unless `text` is a value of the option.
void check_value(const OptionRecord& record, const std::string& text);

// The values of one command's options, defaults included.
class OptionValues {
 public:
  OptionValues(const CommandTable& table, const std::string& command);

  // Checks and keeps a value that the user gave. Throws UsageError as check_value() does.
  void set(const std::string& name, const std::string& text);

  bool flag(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  double real(const std::string& name) const;
  const std::string& text(const std::string& name) const;  // of any type; "" if not set
  // All that were given of a repeatable option, in their order.
  const std::vector<std::string>& texts(const std::string& name) const;
  bool is_given(const std::string& name) const;  // by the user, not by the default

 private:
  struct Entry {
    OptionRecord record;
    std::string text;
    bool is_given = false;
    std::vector<std::string> texts = {};
  };
  const Entry& entry(const std::string& name) const;

  std::map<std::string, Entry> entries_;
};

}  // namespace reprise::cli
