// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/run_report.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace reprise::cli {
namespace {

RunReport two_runs() {
  RunReport report;
  report.model = "gpt";
  report.seed = 7;
  report.unit = "tokens";
  report.options = {{"lr", "0.1"}};
  report.runs = {{.policy = "none",
                  .peak_bytes = 2048,
                  .total_peak_bytes = 4096,
                  .baseline_peak_bytes = 2048,
                  .step_ms = 10,
                  .overhead = 0,
                  .cpu_overhead = 0,
                  .loss = 2.5,
                  .bit_equal = true},
                 {.policy = "block",
                  .segments = 3,
                  .peak_bytes = 1024,
                  .total_peak_bytes = 3072,
                  .baseline_peak_bytes = 2048,
                  .step_ms = 12.5,
                  .overhead = 0.25,
                  .cpu_overhead = 0.5,
                  .loss = 2.5,
                  .bit_equal = false}};
  return report;
}

TEST(RunJson, StatesItsFormatAndVersion) {
  const auto json = nlohmann::json::parse(run_json(two_runs()));
  EXPECT_EQ(json["format"], "reprise.run");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["options"]["lr"], "0.1");
}

TEST(RunJson, HasTheNumbersOfEachRun) {
  const auto run = nlohmann::json::parse(run_json(two_runs()))["runs"][1];
  EXPECT_EQ(run["policy"], "block");
  EXPECT_EQ(run["segments"], 3);
  EXPECT_EQ(run["peak_bytes"], 1024);
  EXPECT_EQ(run["total_peak_bytes"], 3072);
  EXPECT_EQ(run["baseline_peak_bytes"], 2048);
  EXPECT_EQ(run["step_ms"], 12.5);
  EXPECT_EQ(run["overhead"], 0.25);
  EXPECT_EQ(run["loss"], 2.5);
  EXPECT_EQ(run["bit_equal"], false);
}

RunRecord budget_run() {
  return {.policy = "budget=50%",
          .segments = 2,
          .segment_plan = "5 replays before 2 uses, by search",
          .peak_bytes = 1536,
          .baseline_peak_bytes = 2048,
          .step_ms = 11,
          .overhead = 0.1,
          .cpu_overhead = 0.1,
          .loss = 2.5,
          .bit_equal = true,
          .budget = BudgetRecord{.budget_bytes = 1100,
                                 .predicted_peak_bytes = 1024,
                                 .predicted_overhead = 0.0625,
                                 .pass_peak_bytes = 1024,
                                 .plan_ms = 12.5,
                                 .departures = 3}};
}

TEST(RunJson, HasWhatTheBudgetOfARunDid) {
  RunReport report;
  report.runs = {budget_run()};
  const auto run = nlohmann::json::parse(run_json(report))["runs"][0];
  EXPECT_EQ(run["budget_bytes"], 1100);
  EXPECT_EQ(run["predicted_peak_bytes"], 1024);
  EXPECT_EQ(run["pass_peak_bytes"], 1024);
  EXPECT_EQ(run["predicted_overhead"], 0.0625);
  EXPECT_EQ(run["plan_ms"], 12.5);
  EXPECT_EQ(run["departures"], 3);
}

TEST(RunJson, HasTheFieldsOfABudgetAsNullForAPolicy) {
  const auto run = nlohmann::json::parse(run_json(two_runs()))["runs"][1];
  for (const char* field : {"budget_bytes", "predicted_peak_bytes", "pass_peak_bytes",
                            "predicted_overhead", "plan_ms", "departures"}) {
    ASSERT_TRUE(run.contains(field)) << field;
    EXPECT_TRUE(run[field].is_null()) << field;
  }
}

TEST(RunJson, WritesNullForWhatIsNotKnownOrNotFinite) {
  RunReport report;
  report.runs = {{.policy = "block", .loss = std::nan("")}};
  const auto run = nlohmann::json::parse(run_json(report))["runs"][0];
  EXPECT_TRUE(run["overhead"].is_null());
  EXPECT_TRUE(run["bit_equal"].is_null());
  EXPECT_TRUE(run["baseline_peak_bytes"].is_null());
  EXPECT_TRUE(run["loss"].is_null());
}

TEST(RunJson, StaysJsonWhenAFileNameIsNotUtf8) {
  RunReport report;
  report.data = "caf\xE9.txt";
  EXPECT_TRUE(nlohmann::json::accept(run_json(report)));
}

TEST(Strip, ShowsPeakOverheadLossAndBitEquality) {
  EXPECT_EQ(strip_text(two_runs()),
            "policy  segments     peak  of plain      step  overhead  in CPU time      loss  "
            "bit-equal\n"
            "------  --------  -------  --------  --------  --------  -----------  --------  "
            "---------\n"
            "none           0  2.0 KiB   100.0 %  10.00 ms    +0.0 %       +0.0 %  2.500000  yes\n"
            "block          3  1.0 KiB    50.0 %  12.50 ms   +25.0 %      +50.0 %  2.500000  NO\n");
}

TEST(Strip, SaysThatNoStepWasTimed) {
  RunReport report;
  report.runs = {{.policy = "none", .peak_bytes = 2048, .loss = 2.5}};
  EXPECT_EQ(strip_text(report),
            "policy  segments     peak  of plain       step  overhead  in CPU time      loss  "
            "bit-equal\n"
            "------  --------  -------  --------  ---------  --------  -----------  --------  "
            "---------\n"
            "none           0  2.0 KiB         -  not timed         -            -  2.500000  -\n");
}

TEST(Strip, ComparesWhatPlansPredictedWithWhatWasMeasured) {
  RunReport report = two_runs();
  report.runs.push_back(budget_run());
  report.runs.push_back({.policy = "budget=1GiB",
                         .segment_plan = "no plan: no backward has run",
                         .budget = BudgetRecord{.pass_peak_bytes = 512}});
  const std::string strip = strip_text(report);
  EXPECT_EQ(
      strip.substr(strip.find("\n\n") + 2),
      "forward and backward    limit  peak predicted  measured  overhead predicted  planning  "
      "departures\n"
      "--------------------  -------  --------------  --------  ------------------  --------  "
      "----------\n"
      "budget=50%            1.1 KiB         1.0 KiB   1.0 KiB              +6.2 %     12 ms  "
      "         3\n"
      "budget=1GiB                 -               -     512 B                   -      0 ms  "
      "         0\n"
      "budget=1GiB: no plan: no backward has run\n");
}

}  // namespace
}  // namespace reprise::cli
