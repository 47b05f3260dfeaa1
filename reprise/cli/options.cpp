// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/options.h"

#include <utility>

namespace reprise::cli {

// One file per command: estimate_options.cpp; train_options.cpp has those of train and verify,
// plan_options.cpp those of simulate, plan, compare and generate.
std::vector<OptionRecord> train_options();
std::vector<OptionRecord> verify_options();
std::vector<OptionRecord> estimate_options();
std::vector<OptionRecord> plan_options();

namespace {

CommandTable make_table() {
  CommandTable table;
  table.program = "reprise";
  table.commands = {
      {"train", "Train a model under a checkpointing policy or a byte budget, or compare several",
       "reprise train --model gpt --text FILE --compare none,block,budget=40%",
       "In the strip that it prints, segments are the regions of a forward pass; under a budget, "
       "the nodes of backward before which something is replayed. limit is what a pass may take "
       "above what was live when it began: of a budget in bytes, what that leaves of it."},
      {"verify", "Train plainly and under a byte budget, and compare every bit",
       "reprise verify --model gpt --budget 40%",
       "A difference in ulp (units in the last place) is how many steps it takes from one value to "
       "the other through the floating-point numbers of the tensor's type: 0 where every bit "
       "agrees, 1 to the next number."},
      {"estimate", "Tell what a transformer will take in memory, before anything runs",
       "reprise estimate --preset gpt3-175b"},
      {"plan", "Find the fastest schedule of a recorded step, or of a model's, that fits a budget",
       "reprise plan step.json --budget 60% --out schedule.json"},
      {"simulate", "Tell what a schedule of a recorded step costs, and what makes its peak",
       "reprise simulate step.json schedule.json --timeline"},
      {"compare", "Compare what planners make of the same budgets",
       "reprise compare step.json --budgets 10"},
      {"generate", "Make the program of a step of any size, without a model",
       "reprise generate transformer --layers 24 --out step.json"},
      {"planners", "List the planners and their options", "reprise planners"},
      {"options", "Print the options of every command as Markdown",
       "reprise options > docs/command_line.md"},
  };
  for (auto options : {train_options(), verify_options(), estimate_options(), plan_options()}) {
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
