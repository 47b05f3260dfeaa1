// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/options.h"

#include <utility>

namespace reprise::cli {

// One file per command: train_options.cpp, estimate_options.cpp.
std::vector<OptionRecord> train_options();
std::vector<OptionRecord> estimate_options();

namespace {

CommandTable make_table() {
  CommandTable table;
  table.program = "reprise";
  table.commands = {
      {"train", "Train a model under a checkpointing policy, or compare policies",
       "reprise train --model gpt --text FILE --compare none,block,sqrt"},
      {"estimate", "Tell what a transformer will take in memory, before anything runs",
       "reprise estimate --preset gpt3-175b"},
      {"options", "Print the options of every command as Markdown",
       "reprise options > docs/command_line.md"},
  };
  for (auto options : {train_options(), estimate_options()}) {
    table.options.insert(table.options.end(), options.begin(), options.end());
  }
  return table;
}

}  // namespace

const CommandTable& command_table() {
  static const CommandTable table = make_table();
  return table;
}

}  // namespace reprise::cli
