// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/simulate_command.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reprise/cli/file_bytes.h"
#include "reprise/cli/plan_files.h"
#include "reprise/plan/format_error.h"
#include "reprise/plan/hash.h"
#include "reprise/plan/serialize.h"
#include "tests/cli/plan_commands.h"
#include "tests/plan/chain_program.h"

namespace reprise::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class SimulateCommand : public PlanCommands {};

TEST_F(SimulateCommand, TellsPeakPlaceValuesAndTime) {
  const std::string text =
      run(run_simulate, {"simulate", path("chain.json"), path("schedule.json")}).out;
  EXPECT_THAT(text, StartsWith("chain3: 3 forward ops, 4 values, 3 recipes, 3 uses\n"));
  EXPECT_THAT(text, HasSubstr("peak         300 B (300 bytes), 75.0 % of the 400 B with "
                              "everything kept\n"));
  EXPECT_THAT(text, HasSubstr("at           use 0 (C), slot 3 of 10\n"));
  EXPECT_THAT(text, HasSubstr("recomputes   0.0 ms in 1 replay, +5.6 % of the step\n"));
  EXPECT_THAT(text, HasSubstr("budget       300 B: kept\n"));
  EXPECT_THAT(text, HasSubstr("floor        250 B: no schedule needs less\n"));
  EXPECT_THAT(text, HasSubstr("value 2, kept          100 B  33.3 %  b\n"));
}

TEST_F(SimulateCommand, TellsWhenABudgetIsNotKept) {
  plan::Schedule schedule;
  schedule.budget_bytes = 399;
  replace_file(path("over.json"), plan::write_schedule(schedule));
  EXPECT_THAT(run(run_simulate, {"simulate", path("chain.json"), path("over.json")}).out,
              HasSubstr("budget       399 B: NOT KEPT\n"));
}

// The chain's schedule, as written with another prediction; simulated, 300 bytes and 10 us.
plan::Schedule predicting(std::int64_t peak_bytes, double recompute_us) {
  plan::Schedule schedule;
  schedule.predicted_peak_bytes = peak_bytes;
  schedule.predicted_recompute_us = recompute_us;
  schedule.replays = {{.before_use = 2, .recipes = {0}}};
  return schedule;
}

TEST_F(SimulateCommand, TellsWhenTheFilePredictsSomethingElse) {
  const auto text = [&](std::int64_t peak_bytes, double recompute_us) {
    replace_file(path("p.json"), plan::write_schedule(predicting(peak_bytes, recompute_us)));
    return run(run_simulate, {"simulate", path("chain.json"), path("p.json")}).out;
  };
  EXPECT_THAT(text(280, 10),
              HasSubstr("file says    a peak of 280 bytes, 0.0 ms recomputed: NOT SO\n"));
  EXPECT_THAT(text(300, 1200),
              HasSubstr("file says    a peak of 300 bytes, 1.2 ms recomputed: NOT SO\n"));
  EXPECT_THAT(text(300, 10), Not(HasSubstr("NOT SO")));
  EXPECT_THAT(text(0, 0), Not(HasSubstr("NOT SO")));
}

TEST_F(SimulateCommand, TellsInJsonWhetherTheFilesPredictionHolds) {
  const auto schedule_of = [&](std::int64_t peak_bytes, double recompute_us) {
    replace_file(path("p.json"), plan::write_schedule(predicting(peak_bytes, recompute_us)));
    return json::parse(
        run(run_simulate, {"simulate", path("chain.json"), path("p.json"), "--json", "-"})
            .out)["schedule"];
  };
  EXPECT_EQ(schedule_of(300, 10)["as_predicted"], true);
  EXPECT_EQ(schedule_of(280, 10)["as_predicted"], false);
  EXPECT_EQ(schedule_of(300, 11)["as_predicted"], false);
  EXPECT_EQ(schedule_of(280, 10)["predicted"], (json{{"peak_bytes", 280}, {"recompute_us", 10}}));
  EXPECT_EQ(schedule_of(0, 0)["predicted"], nullptr);
  EXPECT_EQ(schedule_of(0, 0)["as_predicted"], nullptr);
}

TEST_F(SimulateCommand, WritesJson) {
  const Output output =
      run(run_simulate, {"simulate", path("chain.json"), path("schedule.json"), "--json", "-"});
  EXPECT_THAT(output.err, HasSubstr("peak  "));
  const json report = json::parse(output.out);
  EXPECT_EQ(report["format"], "reprise.simulation");
  EXPECT_EQ(report["version"], 1);
  EXPECT_EQ(report["program"]["hash"], plan::program_hash(plan::chain_of_three()));
  EXPECT_EQ(report["schedule"]["budget_bytes"], 300);
  EXPECT_EQ(report["peak_bytes"], 300);
  EXPECT_EQ(report["peak_slot"], 3);
  EXPECT_EQ(report["peak"]["values"].size(), 2);
  EXPECT_EQ(report["keep_all_peak_bytes"], 400);
  EXPECT_EQ(report["floor_bytes"], 250);
  EXPECT_EQ(report["recompute_us"], 10);
  EXPECT_EQ(report["predicted_step_us"], 190);
  EXPECT_EQ(report["timeline"]["kind"][7], "replay");
  EXPECT_EQ(report["timeline"]["recipe"][7], 0);
  EXPECT_TRUE(report["timeline"]["recipe"][8].is_null());
  EXPECT_EQ(report["timeline"]["recomputed_bytes"][8], 100);
}

TEST_F(SimulateCommand, KnowsNoOverheadOfAStepThatTakesNoTime) {
  plan::Program program = plan::chain_of_three();
  program.step_us = 0;
  replace_file(path("none.json"), plan::write_program(program));
  const Output output = run(run_simulate, {"simulate", path("none.json"), kKeepAll, "--json", "-"});
  EXPECT_THAT(output.err, HasSubstr("0.0 ms in 0 replays, - of the step\n"));
  EXPECT_EQ(json::parse(output.out)["overhead"], nullptr);
}

TEST_F(SimulateCommand, CutsNamesInTheTableButNotInJson) {
  const std::string word(100'000, 'w');
  plan::Program program = plan::chain_of_three();
  program.name = word;
  program.uses[0].name = word;
  program.recipes[1].name = word;
  program.recipes[1].label = word;
  replace_file(path("long.json"), plan::write_program(program));
  const Output output = run(run_simulate, {"simulate", path("long.json"), kKeepAll, "--json", "-"});
  EXPECT_THAT(output.err, SizeIs(Lt(2000)));
  const json report = json::parse(output.out);
  EXPECT_EQ(report["program"]["name"], word);
  EXPECT_EQ(report["peak"]["values"][1]["op"], word);
  EXPECT_EQ(report["peak"]["values"][1]["label"], word);
}

TEST_F(SimulateCommand, WritesCsv) {
  run(run_simulate,
      {"simulate", path("chain.json"), path("schedule.json"), "--csv", path("t.csv")});
  const std::string csv = read_file(path("t.csv"));
  EXPECT_THAT(csv, StartsWith("slot,kind,index,recipe,name,label,kept_bytes,recomputed_bytes,"
                              "background_bytes,workspace_bytes,total_bytes\n"
                              "0,forward,0,,,,0,0,200,0,200\n"));
  EXPECT_THAT(csv, HasSubstr("\n7,replay,2,0,a,,0,100,50,0,150\n8,use,2,,A,,0,100,150,0,250\n"));
}

TEST_F(SimulateCommand, DrawsTheTimeline) {
  EXPECT_THAT(run(run_simulate, {"simulate", path("chain.json"), kKeepAll, "--timeline"}).out,
              HasSubstr("      400 B |   #\n"));
}

TEST_F(SimulateCommand, RefusesFilesThatAreNotWhatTheyShouldBe) {
  EXPECT_THAT(
      refusal<FormatError>(run_simulate,
                           {"simulate", path("schedule.json"), path("schedule.json")}),
      HasSubstr("schedule.json: format: expected \"reprise.program\", got \"reprise.schedule\""));
  EXPECT_THAT(
      refusal<FormatError>(run_simulate, {"simulate", recorded("unet"), path("schedule.json")}),
      HasSubstr("schedule.json: program: must be "));
}

}  // namespace
}  // namespace reprise::cli
