// SPDX-License-Identifier: Apache-2.0
// What a step takes under a budget, over the same step plain: with everything kept, which is the
// price of recording, and at shares of its peak. All take their steps in turn, the first one
// changes from round to round, and plain stands in the table twice: what differs there is noise.
//
//   budget_overhead [ROUNDS [small|lstm|gpt]]
#include <algorithm>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "bench/cpu_clock.h"
#include "reprise/memory_budget.h"
#include "reprise/zoo/make_model.h"

namespace {

using namespace reprise;

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

struct Row {
  std::string name;
  std::unique_ptr<MemoryBudget> budget;  // null: plain
  std::vector<double> ms = {};
};

struct Workload {
  std::string name;
  zoo::ModelSpec model;
  std::int64_t batch_size = 8;
};

void measure(const Workload& workload, const std::vector<double>& shares, int rounds) {
  torch::manual_seed(1);
  const auto model = zoo::make_model(workload.model);
  const auto data = zoo::make_data(workload.model, {.batch_size = workload.batch_size});
  const zoo::Batch batch = data->batch(zoo::Split::kTrain, 0);
  std::vector<Row> rows;
  rows.push_back({.name = "plain", .budget = nullptr});
  rows.push_back({.name = "plain again", .budget = nullptr});
  for (const double share : shares) {
    std::ostringstream name;
    name << "budget of " << 100 * share << " %";
    rows.push_back({.name = name.str(),
                    .budget = std::make_unique<MemoryBudget>(MemoryBudget::share_of_peak(share))});
  }
  const auto run = [&](Row& row) {
    model->zero_grad();
    const double began_ms = bench::process_cpu_ms();
    if (row.budget) {
      const auto step = row.budget->step();
      model->loss(batch).backward();
    } else {
      model->loss(batch).backward();
    }
    return bench::process_cpu_ms() - began_ms;
  };
  for (Row& row : rows) {
    run(row);  // is recorded
    run(row);  // is planned before it begins
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Row& row = rows[(static_cast<std::size_t>(round) + i) % rows.size()];
      row.ms.push_back(run(row));
    }
  }
  const double plain_ms = median(rows[0].ms);
  std::cout << workload.name << '\n' << std::fixed;
  for (const Row& row : rows) {
    const double ms = median(row.ms);
    std::cout << "  " << std::left << std::setw(18) << row.name << std::right
              << std::setprecision(3) << std::setw(10) << ms << " ms  " << ms / plain_ms;
    if (row.budget) {
      const BudgetReport report = row.budget->report();
      const auto program = row.budget->program();
      std::cout << "  peak " << report.last.peak_bytes << " (predicted "
                << report.last.predicted_peak_bytes << "), recomputes " << report.last.replayed_ops
                << " ops, predicted +" << std::setprecision(1)
                << 100 * report.last.predicted_overhead << " %, " << std::setprecision(2)
                << 1e3 * (ms - plain_ms) / static_cast<double>(program->ops())
                << " us per recorded op";
    }
    std::cout << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::stoi(argv[1]) : 9;
  const std::string only = argc > 2 ? argv[2] : "";
  torch::set_num_threads(1);
  if (only.empty() || only == "small") {
    measure({.name = "small gpt: 4 layers, d 32, T 32, B 2",
             .model = {.name = "gpt", .layers = 4, .dim = 32, .heads = 2, .context = 32},
             .batch_size = 2},
            {1, 0.7, 0.5}, 20 * rounds);
  }
  if (only.empty() || only == "lstm") {
    measure({.name = "lstm over 300 steps",
             .model = {.name = "lstm", .dim = 128, .context = 300},
             .batch_size = 32},
            {1, 0.5}, rounds);
  }
  if (only.empty() || only == "gpt") {
    measure({.name = "gpt: 12 layers, d 384, T 256, B 8",
             .model = {.name = "gpt", .layers = 12, .dim = 384, .heads = 6, .context = 256},
             .batch_size = 8},
            {1, 0.5, 0.4}, rounds);
  }
  return 0;
}
