// SPDX-License-Identifier: Apache-2.0
// simulate, plan, compare and generate, from words to what they write.
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include "reprise/cli/command_line.h"
#include "reprise/cli/dropped_values.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/file_bytes.h"
#include "reprise/cli/frontier_command.h"
#include "reprise/cli/generate_command.h"
#include "reprise/cli/options.h"
#include "reprise/cli/plan_command.h"
#include "reprise/cli/plan_files.h"
#include "reprise/cli/plan_report.h"
#include "reprise/cli/planners_command.h"
#include "reprise/cli/program_text.h"
#include "reprise/cli/simulate_command.h"
#include "reprise/plan/format_error.h"
#include "reprise/plan/hash.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/serialize.h"
#include "tests/plan/chain_program.h"

namespace reprise::cli {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Output {
  std::string out;
  std::string err;
};

using Command = void (*)(const OptionValues&, std::ostream&, std::ostream&);

Output run(Command command, const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  command(*parse_command_line(command_table(), words).values, out, err);
  return {out.str(), err.str()};
}

template <class Error>
std::string refusal(Command command, const std::vector<std::string>& words) {
  try {
    run(command, words);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string recorded(const std::string& name) {
  return std::string(REPRISE_SOURCE_DIR) + "/tests/data/programs/" + name + ".json";
}

// A folder of its own for each test, with the chain of three in it.
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

TEST_F(PlanCommands, SimulateTellsPeakPlaceValuesAndTime) {
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

TEST_F(PlanCommands, SimulateTellsWhenABudgetIsNotKept) {
  plan::Schedule schedule;
  schedule.budget_bytes = 399;
  replace_file(path("over.json"), plan::write_schedule(schedule));
  EXPECT_THAT(run(run_simulate, {"simulate", path("chain.json"), path("over.json")}).out,
              HasSubstr("budget       399 B: NOT KEPT\n"));
}

TEST_F(PlanCommands, SimulateWritesJson) {
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

TEST_F(PlanCommands, SimulateWritesCsv) {
  run(run_simulate,
      {"simulate", path("chain.json"), path("schedule.json"), "--csv", path("t.csv")});
  const std::string csv = read_file(path("t.csv"));
  EXPECT_THAT(csv, StartsWith("slot,kind,index,recipe,name,label,kept_bytes,recomputed_bytes,"
                              "background_bytes,workspace_bytes,total_bytes\n"
                              "0,forward,0,,,,0,0,200,0,200\n"));
  EXPECT_THAT(csv, HasSubstr("\n7,replay,2,0,a,,0,100,50,0,150\n8,use,2,,A,,0,100,150,0,250\n"));
}

TEST_F(PlanCommands, SimulateDrawsTheTimeline) {
  EXPECT_THAT(run(run_simulate, {"simulate", path("chain.json"), kKeepAll, "--timeline"}).out,
              HasSubstr("      400 B |   #\n"));
}

TEST_F(PlanCommands, SimulateRefusesFilesThatAreNotWhatTheyShouldBe) {
  EXPECT_THAT(
      refusal<FormatError>(run_simulate,
                           {"simulate", path("schedule.json"), path("schedule.json")}),
      HasSubstr("schedule.json: format: expected \"reprise.program\", got \"reprise.schedule\""));
  EXPECT_THAT(
      refusal<FormatError>(run_simulate, {"simulate", recorded("unet"), path("schedule.json")}),
      HasSubstr("schedule.json: program: must be "));
}

TEST_F(PlanCommands, PlanStaysInItsBudgetAndWritesTheSchedule) {
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

TEST_F(PlanCommands, PlanAsksThePlannerThatIsNamedWithItsOptions) {
  const json report =
      json::parse(run(run_plan, {"plan", recorded("gpt6"), "--budget", "70%", "--planner",
                                 "every_k", "--option", "k=20", "--json", "-"})
                      .out);
  EXPECT_EQ(report["planner"], "every_k");
  EXPECT_EQ(refusal<UsageError>(
                run_plan, {"plan", recorded("gpt6"), "--planner", "every_k", "--option", "n=2"}),
            "--option of every_k: expected one of: k, got 'n'");
}

TEST_F(PlanCommands, PlanGroupsByOpAloneWhereNoLabelsAreKnown) {
  EXPECT_THAT(run(run_plan, {"plan", recorded("gpt6"), "--budget", "70%"}).out,
              HasSubstr("\nop        "));
  run(run_generate, {"generate", "transformer", "--layers", "2", "--out", path("g.json")});
  EXPECT_THAT(run(run_plan, {"plan", path("g.json"), "--budget", "70%"}).out,
              HasSubstr("\nlabel     "));
}

TEST(PlanText, RoundsNoGapToNothingAndLongTimesToSeconds) {
  PlanReport report;
  report.program = plan::chain_of_three();
  report.program.step_us = 2e7;
  report.result.planner = "search";
  report.result.schedule = plan::Schedule();
  report.result.iterations = 1;
  report.result.gap = 0.0004;
  const std::string text = plan_text(report);
  EXPECT_THAT(text, HasSubstr("gap        less than 0.1 points above the fastest plan"));
  EXPECT_THAT(text, HasSubstr(", 1 iteration\n"));
  EXPECT_THAT(text, HasSubstr("  20.0 s  "));
}

TEST_F(PlanCommands, PlanSaysWhenItIsTheFastestThereIs) {
  const std::string text =
      run(run_plan, {"plan", path("chain.json"), "--budget", "300", "--planner", "exact"}).out;
  EXPECT_THAT(text, HasSubstr("gap        none: no plan in this budget is faster\n"));
  EXPECT_THAT(text, HasSubstr("overhead   +5.6 %: 0.0 ms recomputed in 1 replay\n"));
}

TEST_F(PlanCommands, PlanMeetsTheMinimumThatItNames) {
  const json report = json::parse(
      run(run_plan, {"plan", recorded("unet"), "--budget", "minimum", "--json", "-"}).out);
  const std::string minimum = std::to_string(report["budget_bytes"].get<std::int64_t>());
  EXPECT_EQ(run(run_plan, {"plan", recorded("unet"), "--budget", minimum, "--json", "-"}).out != "",
            true);
  const std::string less = std::to_string(report["floor_bytes"].get<std::int64_t>() - 1);
  EXPECT_THAT(refusal<BudgetError>(run_plan, {"plan", recorded("unet"), "--budget", less}),
              StartsWith("--budget: expected at least "));
}

TEST_F(PlanCommands, PlanRefusesABudgetThatNothingMeetsInOneLineThatSaysWhy) {
  const std::string text =
      refusal<BudgetError>(run_plan, {"plan", path("chain.json"), "--budget", "249", "--planner",
                                      "exact", "--json", path("p.json")});
  EXPECT_EQ(text,
            "--budget: expected at least 250 bytes (250 B), the smallest budget that exact meets: "
            "use 1 (B) needs 150 B that no plan controls, 100 B of value 2 (b); got 249, 249 B");
  const json report = json::parse(read_file(path("p.json")));
  EXPECT_EQ(report["fits"], false);
  EXPECT_EQ(report["minimum"]["budget_bytes"], 250);
  EXPECT_EQ(report["minimum"]["reason"]["place"], "use 1 (B)");
}

TEST_F(PlanCommands, PlanRefusesWordsThatMakeNoSense) {
  const std::string file = path("chain.json");
  EXPECT_THAT(refusal<UsageError>(run_plan, {"plan", file, "--budget", "half"}),
              StartsWith("--budget: expected "));
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", file, "--time-limit", "0s"}),
            "--time-limit: expected a duration above 0 (10s, 500ms, 2min), got '0s'");
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", file, "--option", "k"}),
            "--option: expected NAME=VALUE, got 'k'");
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan", file, "--option", "k=1", "--option", "k=2"}),
            "--option: expected each name once, got 'k' twice");
  EXPECT_THAT(refusal<UsageError>(run_plan, {"plan", file, "--planner", "magic"}),
              StartsWith("--planner: expected one of: "));
  EXPECT_EQ(refusal<UsageError>(run_plan, {"plan"}),
            "PROGRAM: expected a file, got none (see 'reprise plan --help')");
}

TEST_F(PlanCommands, CompareAsksEveryPlannerThatApplies) {
  const json report = json::parse(run(run_compare, {"compare", path("chain.json"), "--budgets", "3",
                                                    "--json", "-", "--csv", path("f.csv")})
                                      .out);
  EXPECT_EQ(report["format"], "reprise.frontier");
  // Evenly between 250 and 400.
  EXPECT_EQ(report["budgets"], (json{287, 325, 362}));
  EXPECT_EQ(report["planners"].size(), plan::planner_records().size());
  EXPECT_THAT(read_file(path("f.csv")),
              StartsWith("planner,budget_bytes,fits,peak_bytes,recompute_us,overhead,bound_us,gap,"
                         "minimum_budget_bytes,planner_seconds\nkeep_all,287,false,,,,"));
}

TEST_F(PlanCommands, CompareShowsTheFrontierOfThePlannersThatAreNamed) {
  const Output output = run(run_compare, {"compare", path("chain.json"), "--budgets", "100%,300",
                                          "--planners", "exact,keep_all"});
  EXPECT_THAT(output.out, HasSubstr("planner   100.0 %  75.0 %  gap up to  least peak"));
  EXPECT_THAT(output.out, HasSubstr("(bound)       0.0     5.6          -       250 B"));
  EXPECT_THAT(output.out, HasSubstr("exact         0.0     5.6        0.0       300 B"));
  EXPECT_THAT(output.out, HasSubstr("keep_all      0.0       -        0.0       400 B"));
  EXPECT_THAT(output.out, Not(HasSubstr("knapsack")));
}

TEST_F(PlanCommands, CompareGivesEveryPlannerTheBoundOfABudget) {
  const json report =
      json::parse(run(run_compare, {"compare", path("chain.json"), "--budgets", "300,249",
                                    "--planners", "exact", "--json", "-"})
                      .out);
  const json results = report["planners"][0]["results"];
  EXPECT_EQ(results[0]["recompute_us"], 10);
  EXPECT_NEAR(results[0]["bound_us"].get<double>(), 10, 1e-6);
  EXPECT_NEAR(results[0]["gap"].get<double>(), 0, 1e-6);
  EXPECT_EQ(results[1]["bound_us"], nullptr);
  EXPECT_EQ(report["stopped"], false);
}

TEST_F(PlanCommands, CompareLimitsTheIterationsOfThePlannersThatAreNamed) {
  const auto results = [&](const std::string& limit) {
    return json::parse(
        run(run_compare, {"compare", recorded("unet"), "--budgets", "50%", "--planners", "search",
                          "--iterations", limit, "--json", "-"})
            .out)["planners"][0]["results"];
  };
  EXPECT_EQ(results("dtr=1,search=100"), results("100"));
  EXPECT_NE(results("search=1"), results("100"));
}

TEST_F(PlanCommands, CompareRefusesLimitsThatMakeNoSense) {
  const auto refused = [&](const std::string& option, const std::string& limit) {
    return refusal<UsageError>(run_compare, {"compare", path("chain.json"), option, limit});
  };
  EXPECT_EQ(refused("--time-limit", "search=never"),
            "--time-limit: expected a duration above 0 (10s, 500ms, 2min), got 'never'");
  EXPECT_EQ(refused("--iterations", "many"),
            "--iterations: expected an integer in [0, 9000000000000000], got 'many'");
  EXPECT_THAT(refused("--iterations", "magic=5"), StartsWith("--iterations: expected one of: "));
  EXPECT_EQ(refused("--iterations", "dtr=5,dtr=6"),
            "--iterations: expected each planner once, got 'dtr' twice");
  EXPECT_EQ(refused("--iterations", "dtr=5,6"), "--iterations: expected PLANNER=LIMIT, got '6'");
}

TEST_F(PlanCommands, CompareTellsWhyAPlannerDoesNotApply) {
  EXPECT_THAT(
      run(run_compare, {"compare", recorded("gpt6"), "--budgets", "1", "--planners", "exact"}).out,
      HasSubstr("exact does not apply: "));
}

TEST_F(PlanCommands, CompareRefusesWordsThatMakeNoSense) {
  EXPECT_THAT(
      refusal<UsageError>(run_compare, {"compare", path("chain.json"), "--planners", "magic"}),
      StartsWith("--planners: expected one of: keep_all, "));
  EXPECT_THAT(
      refusal<UsageError>(run_compare, {"compare", path("chain.json"), "--budgets", "minimum"}),
      HasSubstr("got 'minimum'"));
}

TEST_F(PlanCommands, GenerateWritesAProgramThatCanBeRead) {
  const Output output = run(run_generate, {"generate", "transformer", "--layers", "2", "--width",
                                           "8", "--heads", "2", "--out", path("g.json")});
  EXPECT_THAT(output.out, StartsWith("transformer2: "));
  EXPECT_EQ(load_program(path("g.json")).name, "transformer2");
}

TEST_F(PlanCommands, GenerateWritesEveryKindToStandardOutput) {
  for (const std::string kind : {"transformer", "unet", "resnet", "chain", "random"}) {
    SCOPED_TRACE(kind);
    const Output output = run(run_generate, {"generate", kind, "--layers", "12"});
    EXPECT_EQ(plan::read_program(output.out, kind).name, kind + "12");
    EXPECT_THAT(output.err, HasSubstr("with everything kept"));
  }
}

TEST_F(PlanCommands, GenerateRefusesASizeThatTheKindDoesNotHave) {
  EXPECT_EQ(refusal<UsageError>(run_generate, {"generate", "chain", "--heads", "2"}),
            "--heads: expected a size of 'chain' (--layers, --width, --batch), got one that it "
            "does not have");
  EXPECT_THAT(refusal<UsageError>(run_generate, {"generate", "mlp"}),
              StartsWith("KIND: expected one of: transformer, "));
}

TEST_F(PlanCommands, PlannersListsEveryPlannerAndOption) {
  EXPECT_THAT(planners_text(), HasSubstr("keep_all  "));
  EXPECT_THAT(planners_text(), HasSubstr("\n  k  "));
}

TEST(DroppedValues, AreWhatBackwardFindsRecomputed) {
  plan::Program program = plan::chain_of_three();
  program.recipes[0].label = "blocks.0.first";
  program.recipes[1].label = "blocks.12.first";
  program.recipes[1].name = "a";
  plan::Schedule schedule;
  schedule.replays = {{0, {0, 1}}, {2, {0}}};
  // Use 1 reads value 2 of the first replays, use 2 reads value 1 of the last; the first value 1
  // only helps.
  EXPECT_THAT(dropped_values(program, schedule),
              ElementsAre(DroppedGroup{"blocks.*.first", "a", 2, 200, 3, 40}));
  EXPECT_THAT(dropped_values(program, {}), testing::IsEmpty());
}

TEST(ProgramText, NamesPlacesAndGeneralLabels) {
  const plan::Program program = plan::chain_of_three();
  EXPECT_EQ(slot_text(program, {.kind = plan::SlotKind::kForward, .index = 2}), "forward op 2");
  EXPECT_EQ(slot_text(program, {.kind = plan::SlotKind::kReplay, .index = 2, .recipe = 1}),
            "recipe 1 (b) before use 2");
  EXPECT_EQ(slot_text(program, {.kind = plan::SlotKind::kAfterUse, .index = 0}), "after use 0 (C)");
  EXPECT_EQ(op_of(program, 0), "op 0");
  EXPECT_EQ(general_label("blocks.12.attention.3"), "blocks.*.attention.*");
}

}  // namespace
}  // namespace reprise::cli
