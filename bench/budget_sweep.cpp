// SPDX-License-Identifier: Apache-2.0
// Trains models plainly and under budgets, and compares: gradients bit by bit, the peak predicted
// with the one measured, both with the budget.
//
//   budget_sweep [MODEL...]
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "reprise/zoo/make_model.h"

namespace {

using namespace reprise;

struct Workload {
  std::string name;
  zoo::ModelSpec model;
  zoo::DataSpec data;
};

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  for (const std::string& name : zoo::model_names()) {
    Workload each{.name = name, .model = {.name = name}, .data = {.batch_size = 4}};
    if (name == "gpt") {
      each.model.layers = 4;
      each.model.dim = 64;
      each.model.heads = 4;
      each.model.context = 64;
    }
    if (name == "lstm") {
      each.model.dim = 64;
      each.model.context = 64;
    }
    all.push_back(each);
  }
  return all;
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  if (a.defined() != b.defined()) {
    return false;
  }
  return !a.defined() ||
         (a.nbytes() == b.nbytes() &&
          std::memcmp(a.contiguous().data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0);
}

using Tensors = std::vector<at::Tensor>;

Tensors state_of(const zoo::Model& model) {
  Tensors state;
  for (const auto& parameter : model.parameters()) {
    state.push_back(parameter.grad().defined() ? parameter.grad().clone() : at::Tensor());
  }
  for (const auto& buffer : model.buffers()) {
    state.push_back(buffer.clone());
  }
  return state;
}

struct Trained {
  Tensors state;
  std::int64_t peak_bytes = 0;
};

// `steps` steps from seed 1 on one batch each; a step is what `run` makes of the loss.
template <class Run>
Trained train(const Workload& workload, int steps, const Run& run) {
  torch::manual_seed(1);
  const auto model = zoo::make_model(workload.model);
  const auto data = zoo::make_data(workload.model, workload.data);
  Trained trained;
  for (int step = 0; step < steps; ++step) {
    const zoo::Batch batch = data->batch(zoo::Split::kTrain, step);
    model->zero_grad();
    const MemoryMeter meter;
    run(*model, batch);
    trained.peak_bytes = meter.peak_bytes();
  }
  trained.state = state_of(*model);
  return trained;
}

bool sweep(const Workload& workload) {
  constexpr int kSteps = 3;
  const Trained plain = train(workload, kSteps, [](zoo::Model& model, const zoo::Batch& batch) {
    model.loss(batch).backward();
  });
  std::cout << workload.name << ": plain peak " << plain.peak_bytes << '\n';
  bool is_good = true;
  for (int percent = 100; percent >= 5; percent -= 5) {
    MemoryBudget budget = MemoryBudget::share_of_peak(percent / 100.0);
    try {
      const Trained under = train(workload, kSteps, [&](zoo::Model& model, const zoo::Batch& batch) {
        const auto step = budget.step();
        model.loss(batch).backward();
      });
      bool is_equal = plain.state.size() == under.state.size();
      for (std::size_t i = 0; is_equal && i < plain.state.size(); ++i) {
        is_equal = same_bits(plain.state[i], under.state[i]);
      }
      const PassReport last = budget.report().last;
      std::cout << "  " << percent << " %: limit " << last.limit_bytes << " predicted "
                << last.predicted_peak_bytes << " measured " << last.peak_bytes << " ("
                << last.peak_bytes - last.predicted_peak_bytes << ") keep-all "
                << last.keep_all_peak_bytes << " replayed " << last.replayed_ops << " plan "
                << last.plan << (is_equal ? " equal" : " NOT EQUAL")
                << (last.has_departed ? " DEPARTED " : "") << budget.report().unplanned_because
                << '\n';
      is_good = is_good && is_equal && !last.has_departed;
    } catch (const BudgetError& error) {
      std::cout << "  " << percent << " %: " << error.what() << '\n';
    }
  }
  return is_good;
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(1);
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  bool is_good = true;
  for (const Workload& workload : workloads()) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), workload.name) != wanted.end()) {
      is_good = sweep(workload) && is_good;
    }
  }
  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
