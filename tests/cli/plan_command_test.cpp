// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/plan_command.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reprise/cli/errors.h"
#include "reprise/cli/file_bytes.h"
#include "reprise/cli/generate_command.h"
#include "reprise/cli/plan_files.h"
#include "reprise/plan/simulate.h"
#include "tests/cli/plan_commands.h"

namespace reprise::cli {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Lt;
using testing::SizeIs;
using testing::StartsWith;

class PlanCommand : public PlanCommands {};

TEST_F(PlanCommand, StaysInItsBudgetAndWritesTheSchedule) {
  const Output output = run(run_plan, {"plan", recorded("gpt6"), "--budget", "50%", "--out",
                                       path("s.json"), "--json", path("p.json")});
  EXPECT_THAT(output.out, HasSubstr("budget     92.6 MiB (97,088,452 bytes)\n"));
  EXPECT_THAT(output.out, HasSubstr("keep_all        0  185.2 MiB   100.0 %"));
  const plan::Program program = load_program(recorded("gpt6"));
  const plan::Schedule schedule = load_schedule(path("s.json"), program);
  const plan::Simulation simulation = plan::simulate(program, schedule);
  EXPECT_LE(simulation.peak_bytes, 97088452);
  EXPECT_EQ(schedule.budget_bytes, 97088452);
  const json report = json::parse(read_file(path("p.json")));
  EXPECT_EQ(report["format"], "reprise.plan");
  EXPECT_EQ(report["fits"], true);
  EXPECT_EQ(report["peak_bytes"], simulation.peak_bytes);
  EXPECT_EQ(report["recompute_us"], simulation.recompute_us);
  EXPECT_EQ(report["replays"], simulation.replays);
  EXPECT_EQ(report["schedule"], json::parse(read_file(path("s.json"))));
}

TEST_F(PlanCommand, AsksThePlannerThatIsNamedWithItsOptions) {
  const json report =
      json::parse(run(run_plan, {"plan", recorded("gpt6"), "--budget", "70%", "--planner",
                                 "every_k", "--option", "k=20", "--json", "-"})
                      .out);
  EXPECT_EQ(report["planner"], "every_k");
  EXPECT_EQ(refusal<UsageError>(
                run_plan, {"plan", recorded("gpt6"), "--planner", "every_k", "--option", "n=2"}),
            "--option of every_k: expected one of: k, got 'n'");
}

TEST_F(PlanCommand, GroupsByOpAloneWhereNoLabelsAreKnown) {
  EXPECT_THAT(run(run_plan, {"plan", recorded("gpt6"), "--budget", "70%"}).out,
              HasSubstr("\nop        "));
  run(run_generate, {"generate", "transformer", "--layers", "2", "--out", path("g.json")});
  EXPECT_THAT(run(run_plan, {"plan", path("g.json"), "--budget", "70%"}).out,
              HasSubstr("\nlabel     "));
}

TEST_F(PlanCommand, SaysWhenItIsTheFastestThereIs) {
  const std::string text =
      run(run_plan, {"plan", path("chain.json"), "--budget", "300", "--planner", "exact"}).out;
  EXPECT_THAT(text, HasSubstr("gap        none: no plan in this budget is faster\n"));
  EXPECT_THAT(text, EndsWith("+5.6 %  none\n"));
  EXPECT_THAT(text, HasSubstr("overhead   +5.6 %: 0.0 ms recomputed in 1 replay\n"));
}

TEST_F(PlanCommand, TellsInJsonWhetherItIsTheFastestThereIs) {
  const auto report = [&](const std::string& planner) {
    return json::parse(run(run_plan, {"plan", path("chain.json"), "--budget", "300", "--planner",
                                      planner, "--json", "-"})
                           .out);
  };
  EXPECT_EQ(report("exact")["proved"], true);
  EXPECT_EQ(report("exact")["bound_us"], 10);
  EXPECT_EQ(report("exact")["gap"], 0);
  EXPECT_EQ(report("search")["proved"], false);
}

TEST_F(PlanCommand, MeetsTheMinimumThatItNames) {
  const json report = json::parse(
      run(run_plan, {"plan", recorded("unet"), "--budget", "minimum", "--json", "-"}).out);
  const std::string minimum = std::to_string(report["budget_bytes"].get<std::int64_t>());
  EXPECT_EQ(run(run_plan, {"plan", recorded("unet"), "--budget", minimum, "--json", "-"}).out != "",
            true);
  const std::string less = std::to_string(report["floor_bytes"].get<std::int64_t>() - 1);
  EXPECT_THAT(refusal<BudgetError>(run_plan, {"plan", recorded("unet"), "--budget", less}),
              StartsWith("--budget: expected at least "));
}

TEST_F(PlanCommand, TakesNoLessThanTheMinimumThatItNames) {
  run(run_generate, {"generate", "chain", "--out", path("g.json")});
  for (const std::string planner : {"knapsack", "dtr", "block_rotor", "largest_first"}) {
    SCOPED_TRACE(planner);
    const json report = json::parse(run(run_plan, {"plan", path("g.json"), "--budget", "minimum",
                                                   "--planner", planner, "--json", "-"})
                                        .out);
    EXPECT_EQ(report["peak_bytes"], report["budget_bytes"]);
  }
}

TEST_F(PlanCommand, ClaimsNoMoreOfAMinimumThanThePlannerVouchesFor) {
  const auto refused = [&](const std::string& planner) {
    return refusal<BudgetError>(
        run_plan, {"plan", path("chain.json"), "--budget", "200", "--planner", planner});
  };
  EXPECT_THAT(refused("keep_all"), HasSubstr("the smallest budget found that keep_all meets: "));
  EXPECT_THAT(refused("search"), HasSubstr("the smallest budget that search meets: "));
}

TEST_F(PlanCommand, RefusesABudgetThatNothingMeetsInOneLineThatSaysWhy) {
  const std::string text =
      refusal<BudgetError>(run_plan, {"plan", path("chain.json"), "--budget", "249", "--planner",
                                      "exact", "--json", path("p.json")});
  EXPECT_EQ(text,
            "--budget: expected at least 250 bytes (250 B), the smallest budget that exact meets: "
            "use 1 (B) needs 150 B that no plan controls, 100 B of value 2 (b); got 249, 249 B");
  const json report = json::parse(read_file(path("p.json")));
  EXPECT_EQ(report["fits"], false);
  EXPECT_EQ(report["proved"], true);
  EXPECT_EQ(report["minimum"]["budget_bytes"], 250);
  EXPECT_EQ(report["minimum"]["reason"]["place"], "use 1 (B)");
}

TEST_F(PlanCommand, KnowsNoOverheadOfAStepThatTakesNoTime) {
  plan::Program program = plan::chain_of_three();
  program.step_us = 0;
  replace_file(path("none.json"), plan::write_program(program));
  const Output output =
      run(run_plan, {"plan", path("none.json"), "--budget", "300", "--json", path("p.json")});
  EXPECT_THAT(output.out, HasSubstr("overhead   -: 0.0 ms recomputed in 1 replay\n"));
  EXPECT_THAT(output.out, ContainsRegex("keep_all +0 .* - +-\n"));
  EXPECT_EQ(json::parse(read_file(path("p.json")))["overhead"], nullptr);
}

TEST_F(PlanCommand, CutsNamesInTablesButNotInJson) {
  const std::string word(100'000, 'w');
  plan::Program program = plan::chain_of_three();
  program.name = word;
  program.recipes[0].name = word;
  program.recipes[0].label = word;
  replace_file(path("long.json"), plan::write_program(program));
  const Output output =
      run(run_plan, {"plan", path("long.json"), "--budget", "300", "--json", path("p.json")});
  EXPECT_THAT(output.out, SizeIs(Lt(2000)));
  const json report = json::parse(read_file(path("p.json")));
  EXPECT_EQ(report["program"]["name"], word);
  EXPECT_EQ(report["dropped"][0]["op"], word);
  EXPECT_EQ(report["dropped"][0]["label"], word);
}

TEST_F(PlanCommand, RefusesWordsThatMakeNoSense) {
  const std::string file = path("chain.json");
  EXPECT_THAT(refusal<UsageError>(run_plan, {"plan", file, "--budget", "half"}),
              StartsWith("--budget: expected "));
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", file, "--time-limit", "0s"}),
            "--time-limit: expected a duration above 0 (10s, 500ms, 2min), got '0s'");
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", file, "--option", "k"}),
            "--option: expected NAME=VALUE, got 'k'");
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", file, "--option", "k=1", "--option", "k=2"}),
            "--option: expected each name once, got 'k' twice");
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", file, "--planner", "op_policy", "--option",
                                           "recompute=a,nosuch"}),
            "--option recompute of op_policy: expected ops that recipes of this program are named "
            "after, got 'nosuch'");
  EXPECT_THAT(refusal<UsageError>(run_plan, {"plan", file, "--planner", "magic"}),
              StartsWith("--planner: expected one of: "));
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan"}),
            "PROGRAM: expected a file, or --model, got none (see 'reprise plan --help')");
}

TEST_F(PlanCommand, PlansAModelAsItPlansAProgram) {
  const std::vector<std::string> budget = {"--budget", "300", "--planner", "exact", "--json", "-"};
  std::vector<std::string> of_file = {"plan", path("chain.json")};
  std::vector<std::string> of_model = {"plan", "--model", "gpt", "--gflops", "50"};
  of_file.insert(of_file.end(), budget.begin(), budget.end());
  of_model.insert(of_model.end(), budget.begin(), budget.end());
  json file_report = json::parse(run(run_plan, of_file).out);
  json model_report = json::parse(run(run_plan, of_model).out);
  EXPECT_EQ(model_report["model"], json({{"parameter_bytes", 2048},
                                         {"there_gradient_bytes", 0},
                                         {"made_gradient_bytes", 200},
                                         {"gflops", 50},
                                         {"gbytes_per_s", 100}}));
  model_report.erase("model");
  model_report.erase("seconds");
  file_report.erase("seconds");
  EXPECT_EQ(model_report, file_report);
}

TEST_F(PlanCommand, SaysThatTheTimesOfAModelAreEstimates) {
  EXPECT_THAT(run(run_plan, {"plan", "--model", "gpt", "--budget", "300", "--gflops", "0.5"}).out,
              HasSubstr("\ntimes are estimates, at 0.5 GFLOP/s and 100 GB/s; 2.0 KiB of parameters "
                        "and buffers come on top of all bytes here\n"));
}

TEST_F(PlanCommand, WritesTheProgramOfAModel) {
  run(run_plan, {"plan", "--model", "gpt", "--budget", "300", "--save-program", path("m.json")});
  EXPECT_EQ(read_file(path("m.json")), read_file(path("chain.json")));
}

TEST_F(PlanCommand, SaysWhenItIsGradientsThatDoNotFit) {
  EXPECT_THAT(refusal<BudgetError>(run_plan, {"plan", "--model", "gpt", "--budget", "150"}),
              EndsWith("; 200 B of that are gradients (--gradients there: they are not made in the "
                       "step)"));
  EXPECT_THAT(refusal<BudgetError>(run_plan, {"plan", "--model", "gpt", "--budget", "249"}),
              EndsWith("got 249, 249 B"));
}

TEST_F(PlanCommand, TakesAProgramOrAModel) {
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan"}),
            "PROGRAM: expected a file, or --model, got none (see 'reprise plan --help')");
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", "x.json", "--model", "gpt"}),
            "--model: expected no PROGRAM beside it, got 'x.json'");
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", "x.json", "--layers", "3"}),
            "--layers: expected together with --model, got '3' with PROGRAM 'x.json'");
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", "x.json", "--save-program", "y.json"}),
            "--save-program: expected together with --model, got 'y.json' with PROGRAM 'x.json'");
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", "--model", "bert"}),
            "--model: expected one of: gpt, lstm, audio, cnn, unet, got 'bert'");
}

}  // namespace
}  // namespace reprise::cli
