// SPDX-License-Identifier: Apache-2.0
// What a step takes under a budget, over the same step plain: with everything kept, which is the
// price of recording, and at shares of its peak. All take their steps in turn, the first one
// changes from round to round, and plain stands in the table twice: what differs there is noise.
//
// "shown" is a plain step whose ops go through the fallback, and whose saved tensors go through
// hooks, without anything being done with them: what no recorder that stands there can do without.
//
// The steps before the count warm up: recorded, planned, timed for the final plan. The last row is
// a step that nothing is known of: the first one of a new budget each time, which is recorded and
// keeps within the budget as it goes.
//
// Where a model has blocks, "regions" has each of them in a region, and the row below it is a
// budget of the bytes that this takes.
//
//   budget_overhead [ROUNDS [small|lstm|resnet50|gpt]]
#include <algorithm>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "bench/cpu_clock.h"
#include "bench/usage.h"
#include "bench/workloads.h"
#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "reprise/tape/frame.h"

namespace {

using namespace reprise;

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

class IdleHooks final : public torch::autograd::SavedVariableHooks {
 public:
  void call_pack_hook(const at::Tensor& tensor) override { saved_ = tensor.detach(); }
  at::Tensor call_unpack_hook() override { return saved_; }

 private:
  at::Tensor saved_;
};

class IdleFrame final : public tape::Frame {
 public:
  std::unique_ptr<torch::autograd::SavedVariableHooks> make_hooks() override {
    return std::make_unique<IdleHooks>();
  }
  void before_op(const c10::OperatorHandle& /*op*/, c10::DispatchKeySet /*keys*/,
                 tape::OpArguments /*arguments*/) override {}
  void after_op(const c10::OperatorHandle& /*op*/, tape::OpArguments /*results*/) override {}
  bool is_rerun() const override { return false; }
  bool sees_views() const override { return false; }
  bool sees_backward() const override { return false; }
};

struct Row {
  std::string name;
  bool is_shown = false;
  bool has_regions = false;
  std::unique_ptr<MemoryBudget> budget = nullptr;  // null: plain
  // Above what is live before a step; not 0: `budget` is a new one of so many for each step.
  std::int64_t first_step_bytes = 0;
  std::vector<double> ms = {};
};

constexpr int kWarmSteps = 5;
constexpr double kFirstStepShare = 0.5;

void print_plan(const Row& row, double ms_over_plain) {
  const BudgetReport report = row.budget->report();
  std::cout << "  peak " << report.last.peak_bytes << " (predicted "
            << report.last.predicted_peak_bytes << "), recomputes " << report.last.replayed_ops
            << " ops, predicted +" << std::setprecision(1) << 100 * report.last.predicted_overhead
            << " %, replays take " << report.last.recompute_us / 1e3 << " ms (predicted "
            << report.last.predicted_recompute_us / 1e3 << "), " << std::setprecision(2)
            << 1e3 * ms_over_plain / static_cast<double>(row.budget->program()->ops())
            << " us per recorded op";
}

void print_first_step(const Row& row) {
  const PassReport last = row.budget->report().last;
  std::cout << "  peak " << last.peak_bytes << " of " << row.first_step_bytes << ", recomputes "
            << last.replayed_ops << " ops, drops " << last.evictions << " values";
}

double step_ms(const bench::Workload& workload, Row& row) {
  workload.zero_grad();
  if (workload.use_regions) {
    workload.use_regions(row.has_regions);
  }
  if (row.first_step_bytes > 0) {
    row.budget = std::make_unique<MemoryBudget>(MemoryBudget::above_start(row.first_step_bytes));
  }
  const double began_ms = bench::process_cpu_ms();
  if (row.budget) {
    const auto step = row.budget->step();
    workload.loss().backward();
  } else if (row.is_shown) {
    IdleFrame frame;
    const tape::FrameScope scope(frame);
    workload.loss().backward();
  } else {
    workload.loss().backward();
  }
  return bench::process_cpu_ms() - began_ms;
}

void warm_up(const bench::Workload& workload, Row& row) {
  for (int step = 0; step < (row.budget ? kWarmSteps : 1); ++step) {
    step_ms(workload, row);
  }
}

std::int64_t peak_with_regions(const bench::Workload& workload, Row& row) {
  workload.zero_grad();
  const MemoryMeter meter;
  step_ms(workload, row);
  return meter.peak_bytes();
}

// All but the last have taken their first steps.
std::vector<Row> make_rows(const bench::Workload& workload) {
  std::vector<Row> rows;
  const auto add = [&](Row row) {
    warm_up(workload, row);
    rows.push_back(std::move(row));
  };
  add({.name = "plain"});
  add({.name = "plain again"});
  add({.name = "shown", .is_shown = true});
  for (const double share : workload.shares) {
    std::ostringstream name;
    name << "budget of " << 100 * share << " %";
    add({.name = name.str(),
         .budget = std::make_unique<MemoryBudget>(MemoryBudget::share_of_peak(share))});
  }
  const auto first_step_bytes = static_cast<std::int64_t>(
      kFirstStepShare * static_cast<double>(rows.back().budget->report().last.keep_all_peak_bytes));
  if (workload.use_regions) {
    add({.name = "regions", .has_regions = true});
    const std::int64_t bytes = peak_with_regions(workload, rows.back());
    add({.name = "within their peak",
         .budget = std::make_unique<MemoryBudget>(MemoryBudget::above_start(bytes))});
  }
  rows.push_back({.name = "first step", .first_step_bytes = first_step_bytes});
  return rows;
}

void print(const std::vector<Row>& rows) {
  const double plain_ms = median(rows[0].ms);
  std::cout << std::fixed;
  for (const Row& row : rows) {
    const double ms = median(row.ms);
    std::cout << "  " << std::left << std::setw(18) << row.name << std::right
              << std::setprecision(3) << std::setw(10) << ms << " ms  " << ms / plain_ms;
    if (row.first_step_bytes > 0) {
      print_first_step(row);
    } else if (row.budget) {
      print_plan(row, ms - plain_ms);
    }
    std::cout << '\n';
  }
}

void measure(const bench::Workload& workload, int rounds) {
  std::vector<Row> rows = make_rows(workload);
  for (int round = 0; round < rounds * workload.rounds_per_round; ++round) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // Odd rounds go backwards, so that each row has two neighbours before it.
      const std::size_t at = (static_cast<std::size_t>(round) / 2 + i) % rows.size();
      Row& row = rows[round % 2 == 0 ? at : rows.size() - 1 - at];
      row.ms.push_back(step_ms(workload, row));
    }
  }
  std::cout << workload.about << '\n';
  print(rows);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string usage = "budget_overhead [ROUNDS [small|lstm|resnet50|gpt]]";
  const std::vector<std::string> words = bench::words_of(argc, argv);
  const int rounds = words.empty() ? 9 : bench::count_of(words[0], usage);
  const std::string only = words.size() > 1 ? words[1] : "";
  if (!only.empty()) {
    bench::require_one_of({"small", "lstm", "resnet50", "gpt"}, only, usage);
  }
  if (words.size() > 2) {
    bench::end_with_usage(usage, "two words at most", words[2]);
  }
  keep_freed_memory();
  torch::set_num_threads(1);
  const std::vector<std::function<bench::Workload()>> makers = {bench::small_gpt, bench::lstm,
                                                                bench::resnet50, bench::gpt};
  for (const auto& make : makers) {
    const bench::Workload workload = make();
    if (only.empty() || only == workload.name) {
      measure(workload, rounds);
    }
  }
  return 0;
}
