// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/frontier_command.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reprise/cli/errors.h"
#include "reprise/cli/file_bytes.h"
#include "reprise/plan/planners.h"
#include "tests/cli/plan_commands.h"

namespace reprise::cli {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FrontierCommand : public PlanCommands {};

TEST_F(FrontierCommand, AsksEveryPlannerThatApplies) {
  const json report = json::parse(run(run_compare, {"compare", path("chain.json"), "--budgets", "3",
                                                    "--json", "-", "--csv", path("f.csv")})
                                      .out);
  EXPECT_EQ(report["format"], "reprise.frontier");
  // Evenly between 250 and 400.
  EXPECT_EQ(report["budgets"], (json{287, 325, 362}));
  EXPECT_EQ(report["planners"].size(), plan::planner_records().size());
  EXPECT_THAT(read_file(path("f.csv")),
              StartsWith("planner,budget_bytes,fits,peak_bytes,recompute_us,overhead,bound_us,gap,"
                         "minimum_budget_bytes,planner_seconds,proved,cancelled,out_of_time,note\n"
                         "keep_all,287,false,,,,"));
}

TEST_F(FrontierCommand, ShowsTheFrontierOfThePlannersThatAreNamed) {
  const Output output = run(run_compare, {"compare", path("chain.json"), "--budgets", "100%,300",
                                          "--planners", "exact,keep_all"});
  EXPECT_THAT(output.out, HasSubstr("planner   100.0 %  75.0 %  gap up to  least peak"));
  EXPECT_THAT(output.out, HasSubstr("(bound)      0.0     5.6           -       250 B"));
  EXPECT_THAT(output.out, HasSubstr("exact        0.0*    5.6*        0.0       300 B"));
  EXPECT_THAT(output.out, HasSubstr("keep_all     0.0       -         0.0       400 B"));
  EXPECT_THAT(output.out, HasSubstr("; -: none that fits; *: none is faster\n"));
  EXPECT_THAT(output.out, Not(HasSubstr("knapsack")));
}

TEST_F(FrontierCommand, GivesEveryPlannerTheBoundOfABudget) {
  const json report =
      json::parse(run(run_compare, {"compare", path("chain.json"), "--budgets", "300,249",
                                    "--planners", "exact", "--json", "-"})
                      .out);
  const json results = report["planners"][0]["results"];
  EXPECT_EQ(results[0]["recompute_us"], 10);
  EXPECT_EQ(results[0]["bound_us"], 10);  // proved
  EXPECT_EQ(results[0]["gap"], 0);
  EXPECT_EQ(results[1]["bound_us"], nullptr);
  EXPECT_EQ(report["stopped"], false);
}

TEST_F(FrontierCommand, TellsWhatIsProvedAndWhatAutoPicked) {
  const json report =
      json::parse(run(run_compare, {"compare", path("chain.json"), "--budgets", "400,300,249",
                                    "--planners", "auto", "--json", "-", "--csv", path("f.csv")})
                      .out);
  const json results = report["planners"][0]["results"];
  EXPECT_EQ(results[0]["note"], "picked keep_all because everything fits");
  EXPECT_EQ(results[0]["proved"], false);
  EXPECT_EQ(results[1]["note"],
            "picked exact because the program is small enough to try everything");
  EXPECT_EQ(results[1]["proved"], true);
  EXPECT_EQ(results[1]["out_of_time"], false);
  EXPECT_EQ(results[1]["cancelled"], false);
  EXPECT_EQ(results[2]["proved"], true);  // the minimum
  EXPECT_THAT(read_file(path("f.csv")),
              HasSubstr(",true,false,false,picked exact because the program is small enough to try "
                        "everything\n"));
}

TEST_F(FrontierCommand, MarksWhatRanOutOfTime) {
  const Output output =
      run(run_compare, {"compare", recorded("gpt6"), "--budgets", "50%", "--planners", "search",
                        "--time-limit", "1e-9s", "--json", path("f.json")});
  EXPECT_THAT(output.out, HasSubstr("; !: stopped early\n"));
  EXPECT_THAT(output.out, ContainsRegex("search +[0-9.-]+!"));
  EXPECT_EQ(json::parse(read_file(path("f.json")))["planners"][0]["results"][0]["out_of_time"],
            true);
}

TEST_F(FrontierCommand, LimitsTheIterationsOfThePlannersThatAreNamed) {
  const auto results = [&](const std::string& limit) {
    return json::parse(
        run(run_compare, {"compare", recorded("unet"), "--budgets", "50%", "--planners",
                          "search,dtr", "--iterations", limit, "--json", "-"})
            .out)["planners"][0]["results"];
  };
  EXPECT_EQ(results("dtr=1,search=100"), results("100"));
  EXPECT_NE(results("search=1"), results("100"));
}

TEST_F(FrontierCommand, KnowsNoOverheadOfAStepThatTakesNoTime) {
  plan::Program program = plan::chain_of_three();
  program.step_us = 0;
  replace_file(path("none.json"), plan::write_program(program));
  const Output output = run(run_compare, {"compare", path("none.json"), "--budgets", "400B",
                                          "--planners", "keep_all", "--json", path("f.json")});
  EXPECT_THAT(output.out, HasSubstr("-: none that fits, or a step without a time\n"));
  EXPECT_THAT(output.out, ContainsRegex("keep_all +- +- +400 B"));
  EXPECT_EQ(json::parse(read_file(path("f.json")))["planners"][0]["results"][0]["overhead"],
            nullptr);
}

TEST_F(FrontierCommand, RefusesLimitsThatMakeNoSense) {
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
  EXPECT_EQ(refusal<UsageError>(run_compare, {"compare", path("chain.json"), "--planners", "rotor",
                                              "--iterations", "search=4"}),
            "--iterations: expected a planner that is asked, got 'search'");
  EXPECT_EQ(refused("--iterations", "dtr=5,6"), "--iterations: expected PLANNER=LIMIT, got '6'");
}

TEST_F(FrontierCommand, TellsWhyAPlannerDoesNotApply) {
  EXPECT_THAT(
      run(run_compare, {"compare", recorded("gpt6"), "--budgets", "1", "--planners", "exact"}).out,
      HasSubstr("exact does not apply: "));
}

TEST_F(FrontierCommand, RefusesWordsThatMakeNoSense) {
  EXPECT_THAT(
      refusal<UsageError>(run_compare, {"compare", path("chain.json"), "--planners", "magic"}),
      StartsWith("--planners: expected one of: keep_all, "));
  EXPECT_THAT(
      refusal<UsageError>(run_compare, {"compare", path("chain.json"), "--planners", "exat"}),
      HasSubstr(", got 'exat': did you mean exact?"));
  EXPECT_THAT(
      refusal<UsageError>(run_compare, {"compare", path("chain.json"), "--budgets", "minimum"}),
      HasSubstr("got 'minimum'"));
  EXPECT_THAT(refusal<UsageError>(run_compare, {"compare", path("chain.json"), "--budgets", "0"}),
              StartsWith("--budgets: expected a count of budgets, a bare number in [1, 1000], or a "
                         "list of bytes"));
}

}  // namespace
}  // namespace reprise::cli
