// SPDX-License-Identifier: Apache-2.0
// Help and documentation, written out of the option table.
#pragma once

#include <string>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

// What `reprise --help` prints: commands and exit codes.
std::string program_help(const CommandTable& table);

// What `reprise COMMAND --help` prints: options by group, with expectation and default.
std::string command_help(const CommandTable& table, const std::string& command);

// All of it as Markdown: docs/command_line.md.
std::string markdown_help(const CommandTable& table);

}  // namespace reprise::cli
