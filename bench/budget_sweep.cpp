// SPDX-License-Identifier: Apache-2.0
// Trains every model of the zoo plainly and at 20 budgets, or as many as are asked for, with
// dropout, under bfloat16 autocast and with accumulated gradients, and compares: gradients and
// buffers bit by bit, the peak predicted with the one measured, both with the budget.
//
//   budget_sweep [BUDGETS [MODEL...]] > sweep.csv     what holds is told on standard error
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "bench/same_bits.h"
#include "bench/usage.h"
#include "reprise/memory_budget.h"
#include "reprise/zoo/autocast_scope.h"
#include "reprise/zoo/make_model.h"

namespace {

using namespace reprise;
using bench::Tensors;

constexpr int kSteps = 3;  // the first is recorded, the others are planned
constexpr std::int64_t kMostPeakError = 64 * 1024;

struct Mode {
  std::string name;
  bool has_bf16 = false;
  int batches = 1;
};
const std::vector<Mode> kModes = {
    {.name = "plain"}, {.name = "bf16", .has_bf16 = true}, {.name = "accumulate", .batches = 2}};

zoo::ModelSpec spec_of(const std::string& name) {
  zoo::ModelSpec spec{.name = name};
  if (name == "gpt") {
    spec.layers = 4;
    spec.dim = 64;
    spec.heads = 4;
    spec.context = 64;
  } else if (name == "lstm") {
    spec.dim = 64;
    spec.context = 64;
  } else if (name == "audio") {
    spec.layers = 2;
    spec.dim = 64;
    spec.context = 4096;
  } else {
    spec.dim = 8;
    spec.image_size = 32;
  }
  return spec;
}

// Gradients and buffers after the last of some steps from seed 1; `budget` may be null.
Tensors train(const std::string& name, const Mode& mode, MemoryBudget* budget) {
  torch::manual_seed(1);
  const auto model = zoo::make_model(spec_of(name));
  const auto data = zoo::make_data(spec_of(name), {.batch_size = 4});
  // Always the same batch: the next one may have other sizes, which are another pass.
  const zoo::Batch batch = data->batch(zoo::Split::kTrain, 0);
  const auto run = [&] {
    for (int i = 0; i < mode.batches; ++i) {
      at::Tensor loss;
      {
        const zoo::AutocastScope autocast(mode.has_bf16);
        loss = model->loss(batch);
      }
      loss.backward();
    }
  };
  // Gradients stay: the pass that makes them anew takes their bytes more than the next one.
  run();
  for (int step = 0; step < kSteps; ++step) {
    model->zero_grad(/*set_to_none=*/false);
    if (budget != nullptr) {
      const auto scope = budget->step();
      run();
    } else {
      run();
    }
  }
  Tensors state;
  for (const at::Tensor& parameter : model->parameters()) {
    state.push_back(parameter.grad());
  }
  for (const at::Tensor& buffer : model->buffers()) {
    state.push_back(buffer);
  }
  return state;
}

struct Totals {
  int cells = 0;
  int refused = 0;         // below what any plan needs
  int refused_at_100 = 0;  // which keeping everything meets
  int unequal = 0;
  int over_budget = 0;
  int unplanned = 0;
  std::int64_t largest_peak_error = 0;
};

// At `budgets` of them, from 100 % downwards in equal steps.
void sweep(const std::string& name, const Mode& mode, int budgets, Totals& totals) {
  const Tensors plain = train(name, mode, nullptr);
  for (int left = budgets; left > 0; --left) {
    const int percent = 100 * left / budgets;
    MemoryBudget budget = MemoryBudget::share_of_peak(percent / 100.0, {.iterations = 50});
    ++totals.cells;
    std::cout << name << ',' << mode.name << ',' << percent << ',';
    try {
      const bool is_equal = bench::same_bits(train(name, mode, &budget), plain);
      const BudgetReport report = budget.report();
      const PassReport& last = report.last;
      const std::int64_t error = std::abs(last.peak_bytes - last.predicted_peak_bytes);
      totals.unequal += is_equal ? 0 : 1;
      totals.over_budget += report.overruns == 0 ? 0 : 1;
      totals.unplanned += report.planned_passes == kSteps * mode.batches - 1 ? 0 : 1;
      totals.largest_peak_error = std::max(totals.largest_peak_error, error);
      std::cout << (is_equal ? "yes," : "no,") << last.limit_bytes << ','
                << last.predicted_peak_bytes << ',' << last.peak_bytes << ','
                << last.keep_all_peak_bytes << ',' << last.replayed_ops << ','
                << last.predicted_overhead << ',' << report.departures << '\n';
    } catch (const BudgetError& error) {
      ++totals.refused;
      totals.refused_at_100 += left == budgets ? 1 : 0;
      std::cout << "refused,,,,,,," << '\n';
    }
  }
}

bool claim(const std::string& what, bool holds) {
  std::cerr << (holds ? "holds   " : "MISSED  ") << what << '\n';
  return holds;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string usage = "budget_sweep [BUDGETS [MODEL...]]";
  std::vector<std::string> wanted = bench::words_of(argc, argv);
  const int budgets = wanted.empty() ? 20 : bench::count_of(wanted[0], usage);
  if (!wanted.empty()) {
    wanted.erase(wanted.begin());
  }
  for (const std::string& name : wanted) {
    bench::require_one_of(zoo::model_names(), name, usage);
  }
  torch::set_num_threads(1);
  std::cout << "model,mode,budget_percent,bit_equal,limit_bytes,predicted_peak_bytes,peak_bytes,"
               "keep_all_peak_bytes,replayed_ops,predicted_overhead,departures\n";
  Totals totals;
  for (const std::string& name : zoo::model_names()) {
    if (wanted.empty() || std::count(wanted.begin(), wanted.end(), name) > 0) {
      for (const Mode& mode : kModes) {
        sweep(name, mode, budgets, totals);
      }
    }
  }
  std::cerr << totals.cells << " cells, " << totals.refused << " below what any plan needs\n";
  const bool holds[] = {
      claim("gradients and buffers are those of plain training, bit by bit", totals.unequal == 0),
      claim("no peak is above its budget", totals.over_budget == 0),
      claim("no step is refused what it takes plainly", totals.refused_at_100 == 0),
      claim("every pass but the first follows a plan", totals.unplanned == 0),
      claim("measured peaks are within 64 KiB of the predicted ones; the largest error is " +
                std::to_string(totals.largest_peak_error) + " bytes",
            totals.largest_peak_error <= kMostPeakError)};
  return std::all_of(std::begin(holds), std::end(holds), [](bool each) { return each; })
             ? EXIT_SUCCESS
             : EXIT_FAILURE;
}
