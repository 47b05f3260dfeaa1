// SPDX-License-Identifier: Apache-2.0
// What tests of simulate, plan, compare and generate share: a command run from words to what it
// writes, and a folder with a program and a schedule of it.
#pragma once

#include <filesystem>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <unistd.h>

#include "reprise/cli/command_line.h"
#include "reprise/cli/file_bytes.h"
#include "reprise/cli/options.h"
#include "reprise/cli/plan_command.h"
#include "reprise/plan/hash.h"
#include "reprise/plan/serialize.h"
#include "tests/plan/chain_program.h"

namespace reprise::cli {

struct Output {
  std::string out;
  std::string err;
};

using Command = void (*)(const OptionValues&, std::ostream&, std::ostream&);

inline Output run(Command command, const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  command(*parse_command_line(command_table(), words).values, out, err);
  return {out.str(), err.str()};
}

// The chain of three, in the place of what libtorch makes of a model.
inline EstimatedProgram chain_of_model(const OptionValues& values) {
  return {.program = plan::chain_of_three(),
          .model = {.parameter_bytes = 2048,
                    .made_gradient_bytes = 200,
                    .gflops = values.real("gflops"),
                    .gbytes_per_s = values.real("gbytes-per-s")}};
}

inline void run_plan(const OptionValues& values, std::ostream& out, std::ostream& err) {
  run_plan(values, &chain_of_model, out, err);
}

// The message of the Error that the command ends with.
template <class Error>
std::string refusal(Command command, const std::vector<std::string>& words) {
  try {
    run(command, words);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// The path of a recorded step.
inline std::string recorded(const std::string& name) {
  return std::string(REPRISE_SOURCE_DIR) + "/tests/data/programs/" + name + ".json";
}

// A folder of its own for each test: chain.json, the chain of three, and schedule.json, which
// rebuilds its first value before the last use.
class PlanCommands : public testing::Test {
 protected:
  PlanCommands() {
    std::string name = (std::filesystem::temp_directory_path() / "reprise.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    replace_file(path("chain.json"), plan::write_program(plan::chain_of_three()));
    plan::Schedule schedule;
    schedule.program_hash = plan::program_hash(plan::chain_of_three());
    schedule.planner = "by hand";
    schedule.budget_bytes = 300;
    schedule.replays = {{2, {0}}};
    replace_file(path("schedule.json"), plan::write_schedule(schedule));
  }
  ~PlanCommands() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

}  // namespace reprise::cli
