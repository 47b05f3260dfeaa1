// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "bench/planner/measure.h"
#include "bench/planner/tables.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::bench {
namespace {

using plan::Program;
using plan::recorded_program;

// One question and the claim that is made of its answer, in percent; nothing: none.
struct Question {
  const char* program;
  double share;
  std::optional<double> most_percent = {};
};

const std::vector<Question> kQuestions = {
    {"gpt6", .70, 1.8},      {"gpt6", .50, 8.4},      {"gpt6", .40, 13.1},
    {"gpt6", .30, 18.2},     {"gpt6", .20, 27.2},     {"resnet50", .70, 5.5},
    {"resnet50", .50, 10.4}, {"resnet50", .40, 14.0}, {"resnet50", .30, 21.8},
    {"resnet50", .20},       {"unet", .70, 5.4},      {"unet", .50, 15.2},
    {"unet", .40, 32.5},     {"unet", .30},           {"lstm300", .70, 1.7},
    {"lstm300", .50, 7.6},   {"lstm300", .40, 12.5},  {"lstm300", .30, 17.0},
    {"lstm300", .20, 22.0},  {"gpt24", .70},          {"gpt24", .50},
    {"gpt24", .40},          {"gpt24", .30},          {"gpt24", .20},
};

}  // namespace

BenchTable recorded_table() {
  BenchTable table("recorded",
                   "search on recorded steps; budgets in shares of the peak with everything kept, "
                   "recomputation in % of the step",
                   {{"program", "program", 9},
                    {"budget_share", "budget"},
                    {"overhead", "search"},
                    {"claimed_percent", "claim"},
                    {"bound", "bound"},
                    {"gap", "gap"},
                    {"cpu_s", "CPU s"},
                    {"claimed_s", "claim"}});
  for (const Question& question : kQuestions) {
    const Program program = recorded_program(question.program);
    const std::int64_t budget_bytes = budget_at(program, question.share);
    const double most_s = most_seconds(program);
    if (budget_bytes < plan::peak_floor(program).bytes) {
      table.add({words(question.program),
                 number(question.share, 2),
                 {"floor", nullptr},
                 limit(std::nullopt),
                 percent({}),
                 percent({}),
                 number({}, 1),
                 limit({})});
      continue;
    }
    const MeasuredPlan measured = measure_plan(program, "search", budget_bytes);
    const plan::PlanResult& result = measured.result;
    const bool holds = result.schedule &&
                       100 * result.overhead <= question.most_percent.value_or(1e9) &&
                       measured.cpu_s <= most_s;
    table.add({words(question.program), number(question.share, 2), percent(overhead(result)),
               limit(question.most_percent), percent(bound(result, program)), percent(result.gap),
               number(measured.cpu_s, 2), limit(most_s)},
              holds);
  }
  return table;
}

BenchTable per_block_table() {
  struct Block {
    const char* program;
    double share;
    double most_percent;
  };
  // Those that keep the boundaries of some blocks and rebuild what lies between.
  const std::vector<std::string> rules = {"per_cut", "per_label",      "sqrt_n",
                                          "every_k", "balanced_bytes", "balanced_cost"};
  BenchTable table("blocks",
                   "search at the peak of checkpointing every block, beside the best rule that "
                   "checkpoints blocks",
                   {{"program", "program", 9},
                    {"budget_share", "budget"},
                    {"overhead", "search"},
                    {"claimed_percent", "claim"},
                    {"bound", "bound"},
                    {"cpu_s", "CPU s"},
                    {"claimed_s", "claim"},
                    {"rule_overhead", "rule"},
                    {"rule", "the best rule", 14}});
  for (const Block& block : {Block{"gpt6", .213, 24.2}, Block{"resnet50", .357, 16.8},
                             Block{"unet", .505, 15.0}, Block{"lstm300", .321, 16.5}}) {
    const Program program = recorded_program(block.program);
    const std::int64_t budget_bytes = budget_at(program, block.share);
    const MeasuredPlan measured = measure_plan(program, "search", budget_bytes);
    const plan::PlanResult& result = measured.result;
    const NamedPlan rule = best_plan(program, rules, budget_bytes);
    table.add(
        {words(block.program), number(block.share, 3), percent(overhead(result)),
         limit(block.most_percent), percent(bound(result, program)), number(measured.cpu_s, 2),
         limit(most_seconds(program)), percent(rule.overhead), words(rule.planner)},
        result.schedule && 100 * result.overhead <= block.most_percent &&
            measured.cpu_s <= most_seconds(program));
  }
  return table;
}

BenchTable minimum_table() {
  struct Minimum {
    const char* program;
    std::optional<double> most_percent = {};
  };
  BenchTable table("minimum",
                   "the smallest budget that search meets, in % of the peak with everything kept",
                   {{"program", "program", 9},
                    {"minimum", "minimum"},
                    {"claimed_percent", "claim"},
                    {"floor", "floor"},
                    {"overhead", "overhead"},
                    {"cpu_s", "CPU s"},
                    {"claimed_s", "claim"}});
  for (const Minimum& minimum :
       {Minimum{"gpt6", 17.6}, Minimum{"resnet50", 24.1}, Minimum{"unet", 38.2},
        Minimum{"lstm300", 6.1}, Minimum{"gpt24"}}) {
    const Program program = recorded_program(minimum.program);
    const auto peak = static_cast<double>(plan::simulate_keep_all(program).peak_bytes);
    const std::int64_t floor_bytes = plan::peak_floor(program).bytes;
    const MeasuredPlan measured = measure_plan(program, "search", floor_bytes);
    const plan::PlanResult& result = measured.result;
    const plan::Schedule& schedule = result.schedule ? *result.schedule : result.minimum->schedule;
    const double found = static_cast<double>(schedule.predicted_peak_bytes) / peak;
    table.add({words(minimum.program), percent(found), limit(minimum.most_percent),
               percent(static_cast<double>(floor_bytes) / peak),
               percent(schedule.predicted_recompute_us / program.step_us),
               number(measured.cpu_s, 2), limit(most_seconds(program))},
              100 * found <= minimum.most_percent.value_or(100) &&
                  measured.cpu_s <= most_seconds(program));
  }
  return table;
}

}  // namespace reprise::bench
