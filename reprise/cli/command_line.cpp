// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/command_line.h"

#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>

#include "reprise/cli/errors.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

// Where CLI11 puts what it reads: it splits words into options and values; the table checks them.
struct Read {
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, std::string> operands;
  std::map<std::string, bool> flags;
};

void add_options(CLI::App& app, const CommandTable& table, const std::string& command, Read& read) {
  for (const OptionRecord& record : table.options_of(command)) {
    if (record.type == OptionType::kFlag) {
      app.add_flag("--" + record.name, read.flags[record.name])->disable_flag_override();
    } else if (record.is_operand) {
      // CLI11 takes a name without dashes for that of a position.
      app.add_option(record.name, read.operands[record.name]);
    } else {
      app.add_option("--" + record.name, read.values[record.name])
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->allow_extra_args(false);  // the word behind its value may be an operand
    }
  }
}

OptionValues checked_values(const CommandTable& table, const std::string& command,
                            const Read& read) {
  OptionValues values(table, command);
  for (const OptionRecord& record : table.options_of(command)) {
    if (record.is_operand) {
      const std::string& text = read.operands.at(record.name);
      if (text.empty() && record.is_optional) {
        continue;
      }
      if (text.empty()) {
        throw UsageError(display_name(record) + ": expected " + expectation(record) +
                         ", got none (see '" + table.program + " " + command + " --help')");
      }
      values.set(record.name, text);
    } else if (record.type != OptionType::kFlag) {
      const std::vector<std::string>& texts = read.values.at(record.name);
      if (texts.size() > 1 && !record.is_repeatable) {
        throw UsageError(display_name(record) + ": expected at most once, got " +
                         std::to_string(texts.size()) + " times");
      }
      for (const std::string& text : texts) {
        values.set(record.name, text);
      }
    }
  }
  for (const auto& [name, is_present] : read.flags) {
    if (is_present) {
      values.set(name, "true");
    }
  }
  return values;
}

bool has_operands(const CommandTable& table, const std::string& command) {
  const std::vector<OptionRecord> options = table.options_of(command);
  return std::any_of(options.begin(), options.end(),
                     [](const OptionRecord& record) { return record.is_operand; });
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// What CLI11 says, on one line; of a missing value it only says "--name: 1 required TEXT missing",
// of a value too many "name was given a disallowed flag override".
std::string refusal_text(const CLI::ParseError& error, const std::vector<OptionRecord>& options) {
  std::string text = one_line(error.what());
  for (const OptionRecord& record : options) {
    if (text.rfind("--" + record.name + ":", 0) == 0) {
      return display_name(record) + ": expected " + expectation(record) + ", got no value";
    }
    if (record.type == OptionType::kFlag && text.rfind(record.name + " was given", 0) == 0) {
      return display_name(record) + ": expected " + expectation(record) + ", got one";
    }
  }
  return text;
}

// "a command (train, plan; see 'tool --help')".
std::string expected_commands(const CommandTable& table) {
  std::string names;
  for (const CommandRecord& command : table.commands) {
    names += (names.empty() ? "" : ", ") + command.name;
  }
  return "a command (" + names + "; see '" + table.program + " --help')";
}

// A word that nobody asked for.
[[noreturn]] void refuse_extra(const CommandTable& table, const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  const std::string extra = extras.empty() ? "" : extras.front();
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "" : chosen.front()->get_name();
  const bool is_option = extra.rfind('-', 0) == 0;
  throw UsageError(command.empty() && !is_option
                       ? "expected " + expected_commands(table) + ", got " + in_quotes(extra)
                       : shortened(extra) + ": expected " +
                             (is_option                      ? "an option"
                              : has_operands(table, command) ? "no further word but options"
                                                             : "only options") +
                             " of '" + table.program + (command.empty() ? "" : " " + command) +
                             "' (see its --help), got " + in_quotes(extra));
}

// `help` and `help COMMAND` are `--help` and `COMMAND --help`.
std::vector<std::string> without_help_word(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return words;
}

}  // namespace

std::string command_of(const CommandTable& table, const std::vector<std::string>& words) {
  for (const CommandRecord& command : table.commands) {
    if (!words.empty() && words.front() == command.name) {
      return command.name;
    }
  }
  return "";
}

CommandLine parse_command_line(const CommandTable& table, const std::vector<std::string>& words) {
  CommandLine line;
  CLI::App app{"", table.program};
  app.set_help_flag();
  app.require_subcommand(0, 1);
  app.add_flag("-h,--help", line.wants_help);
  app.add_flag("--version", line.wants_version);
  std::map<std::string, Read> reads;
  for (const CommandRecord& command : table.commands) {
    CLI::App* sub = app.add_subcommand(command.name);
    sub->add_flag("-h,--help", line.wants_help);
    add_options(*sub, table, command.name, reads[command.name]);
  }

  std::vector<std::string> reversed = without_help_word(words);
  std::reverse(reversed.begin(), reversed.end());  // as CLI11 takes them
  try {
    app.parse(reversed);
  } catch (const CLI::ExtrasError&) {
    refuse_extra(table, app);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    throw UsageError(refusal_text(
        error, chosen.empty() ? table.options : table.options_of(chosen.front()->get_name())));
  }

  const auto chosen = app.get_subcommands();
  if (!chosen.empty()) {
    line.command = chosen.front()->get_name();
    if (!line.wants_help) {
      line.values = checked_values(table, line.command, reads.at(line.command));
    }
  } else if (!line.wants_help && !line.wants_version) {
    throw UsageError("expected " + expected_commands(table) + ", got none");
  }
  return line;
}

}  // namespace reprise::cli
