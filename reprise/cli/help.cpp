// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/help.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "reprise/cli/errors.h"

namespace reprise::cli {
namespace {

constexpr std::size_t kHelpColumn = 26;
constexpr std::size_t kLineWidth = 100;

const CommandRecord& command_record(const CommandTable& table, const std::string& name) {
  return *std::find_if(table.commands.begin(), table.commands.end(),
                       [&](const CommandRecord& command) { return command.name == name; });
}

std::string value_name(const OptionRecord& record) {
  switch (record.type) {
    case OptionType::kFlag:
      return "";
    case OptionType::kInteger:
      return " N";
    case OptionType::kReal:
      return " X";
    case OptionType::kChoice:
      return " NAME";
    case OptionType::kText:
      return " " + record.value_name;
  }
  return "";
}

// "--layers N", "PROGRAM".
std::string head(const OptionRecord& record) {
  return display_name(record) + (record.is_operand ? "" : value_name(record));
}

// " PROGRAM SCHEDULE" of a command that has operands, " [PROGRAM]" where it may be left out.
std::string operands(const std::vector<OptionRecord>& options) {
  std::string text;
  for (const OptionRecord& record : options) {
    if (record.is_operand) {
      text += record.is_optional ? " [" + record.value_name + "]" : " " + record.value_name;
    }
  }
  return text;
}

// What a value may be, where the name of the value does not say it all.
std::string limits(const OptionRecord& record) {
  const bool says_all = record.type == OptionType::kFlag || record.type == OptionType::kText;
  return says_all ? "" : expectation(record);
}

// What is taken where the option is not given; "" if that is nothing.
const std::string& told_default(const OptionRecord& record) {
  return record.default_text.empty() ? record.default_note : record.default_text;
}

std::string details(const OptionRecord& record) {
  std::string text = limits(record);
  if (const std::string& taken = told_default(record); !taken.empty()) {
    text += (text.empty() ? "" : "; ") + std::string("default ") + taken;
  }
  return text.empty() ? "" : " (" + text + ")";
}

// `text` broken at spaces, every line but the first indented to `indent`.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string word;
  std::string result;
  std::size_t column = indent;
  while (words >> word) {
    if (column > indent && column + 1 + word.size() > kLineWidth) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result + "\n";
}

std::string entry(const std::string& head, const std::string& text) {
  std::string line = "  " + head;
  if (line.size() + 2 > kHelpColumn) {
    line += "\n" + std::string(kHelpColumn, ' ');
  } else {
    line.resize(kHelpColumn, ' ');
  }
  return line + wrapped(text, kHelpColumn);
}

// Groups in the order in which the table first names them.
std::vector<std::string> groups_of(const std::vector<OptionRecord>& options) {
  std::vector<std::string> groups;
  for (const OptionRecord& record : options) {
    if (std::find(groups.begin(), groups.end(), record.group) == groups.end()) {
      groups.push_back(record.group);
    }
  }
  return groups;
}

std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

}  // namespace

std::string program_help(const CommandTable& table) {
  std::string text = "Usage: " + table.program + " COMMAND [OPTIONS]\n\nCommands\n";
  for (const CommandRecord& command : table.commands) {
    text += entry(command.name, command.summary);
  }
  text += "\nOptions\n";
  text += entry("-h, --help",
                "Print this help, or that of a command: " + table.program + " help COMMAND");
  text += entry("--version", "Print the versions of " + table.program + " and libtorch");
  return text + "\nExit codes\n" + exit_code_text();
}

std::string command_help(const CommandTable& table, const std::string& command) {
  const CommandRecord& record = command_record(table, command);
  const std::vector<OptionRecord> options = table.options_of(command);
  std::string text = "Usage: " + table.program + " " + command + operands(options) +
                     " [OPTIONS]\n" + record.summary + "\n";
  text += "Example: " + record.example + "\n";
  if (!record.notes.empty()) {
    text += "\n" + wrapped(record.notes, 0);
  }
  for (const std::string& group : groups_of(options)) {
    text += "\n" + group + "\n";
    for (const OptionRecord& option : options) {
      if (option.group == group) {
        text += entry(head(option), option.help + details(option));
      }
    }
  }
  return text;
}

std::string markdown_help(const CommandTable& table) {
  std::string text = "# The command line\n\nMade from the option table: `" + table.program +
                     " options > docs/command_line.md`.\n\n## Exit codes\n\n```text\n" +
                     exit_code_text() + "```\n";
  for (const CommandRecord& command : table.commands) {
    text += "\n## " + table.program + " " + command.name + "\n\n" + command.summary +
            ". For example:\n\n```sh\n" + command.example + "\n```\n" +
            (command.notes.empty() ? "" : "\n" + command.notes + "\n");
    const std::vector<OptionRecord> options = table.options_of(command.name);
    for (const std::string& group : groups_of(options)) {
      text += "\n**" + group + "**\n\n| option | value | default | meaning |\n|---|---|---|---|\n";
      for (const OptionRecord& option : options) {
        if (option.group == group) {
          text += "| `" + head(option) + "` | " + escaped(limits(option)) + " | " +
                  escaped(told_default(option)) + " | " + escaped(option.help) + " |\n";
        }
      }
    }
  }
  return text;
}

}  // namespace reprise::cli
