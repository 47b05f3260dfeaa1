// SPDX-License-Identifier: Apache-2.0
// Turns the words of a command line into a command and the values of its options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

struct CommandLine {
  bool wants_help = false;
  bool wants_version = false;
  std::string command;                 // empty: none was named (help or version of the program)
  std::optional<OptionValues> values;  // set if a command is to be run
};

// The command that the first word names; "" if it names none.
std::string command_of(const CommandTable& table, const std::vector<std::string>& words);

// `words` without the program's name; `help` in front asks for help as --help does. Throws
// UsageError with one line: the command, the option, what was expected and what came.
CommandLine parse_command_line(const CommandTable& table, const std::vector<std::string>& words);

}  // namespace reprise::cli
