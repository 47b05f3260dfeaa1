// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "bench/planner/measure.h"
#include "bench/planner/tables.h"
#include "reprise/plan/generate/chain.h"
#include "reprise/plan/generate/random.h"
#include "reprise/plan/generate/resnet.h"
#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/generate/unet.h"
#include "reprise/plan/simulate.h"

namespace reprise::bench {
namespace {

struct Kind {
  std::string name;
  plan::Program program;
};

std::vector<Kind> kinds() {
  using namespace plan;
  std::vector<Kind> all;
  for (const int layers : {8, 16, 50}) {
    all.push_back({"resnet " + std::to_string(layers), generate_resnet({.layers = layers})});
  }
  for (const int layers : {18, 36}) {
    all.push_back({"unet " + std::to_string(layers), generate_unet({.layers = layers})});
  }
  for (const int layers : {50, 400}) {
    all.push_back({"chain " + std::to_string(layers), generate_chain({.layers = layers})});
  }
  all.push_back({"transformer 8", generate_transformer({.layers = 8, .has_dropout = false})});
  // Of random programs most have little to decide; these have room between floor and peak.
  for (const RandomSizes& sizes :
       {RandomSizes{.ops = 100, .seed = 3}, RandomSizes{.ops = 300, .seed = 3},
        RandomSizes{.ops = 300, .seed = 4}}) {
    all.push_back({"random " + std::to_string(sizes.ops) + ", " + std::to_string(sizes.seed),
                   generate_random(sizes)});
  }
  return all;
}

bool is_rule(const plan::PlannerRecord& record, const plan::Program& program) {
  return record.name != "search" && record.name != "dtr" && record.name != "auto" &&
         !record.is_exact && (record.applies == nullptr || !record.applies(program));
}

std::vector<std::string> rules_for(const plan::Program& program) {
  std::vector<std::string> rules;
  for (const plan::PlannerRecord& record : plan::planner_records()) {
    if (is_rule(record, program)) {
      rules.push_back(record.name);
    }
  }
  return rules;
}

}  // namespace

BenchTable kinds_table() {
  BenchTable table("kinds",
                   "generated steps that nothing was tuned on; budgets at 25, 50 and 75 % of the "
                   "way from the floor to the peak with everything kept",
                   {{"program", "program", 14},
                    {"ops", "ops", 5},
                    {"budget_share", "budget"},
                    {"overhead", "search"},
                    {"bound", "bound"},
                    {"gap", "gap"},
                    {"cpu_s", "CPU s"},
                    {"dtr_overhead", "dtr"},
                    {"rule_overhead", "rule"},
                    {"rule", "the best rule", 14}});
  for (const Kind& kind : kinds()) {
    const plan::Program& program = kind.program;
    const auto peak = static_cast<double>(plan::simulate_keep_all(program).peak_bytes);
    for (const double beta : {.75, .50, .25}) {
      const std::int64_t budget_bytes = budget_between(program, beta);
      const MeasuredPlan measured = measure_plan(program, "search", budget_bytes);
      const plan::PlanResult& result = measured.result;
      const plan::PlanResult online =
          plan::make_plan(program, "dtr", {.budget_bytes = budget_bytes, .wants_bound = false});
      const NamedPlan rule = best_plan(program, rules_for(program), budget_bytes);
      table.add({words(kind.name), whole(program.ops()),
                 number(static_cast<double>(budget_bytes) / peak, 3), percent(overhead(result)),
                 percent(bound(result, program)), percent(result.gap), number(measured.cpu_s, 2),
                 percent(overhead(online)), percent(rule.overhead), words(rule.planner)});
    }
  }
  return table;
}

}  // namespace reprise::bench
