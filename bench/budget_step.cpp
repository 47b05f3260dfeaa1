// SPDX-License-Identifier: Apache-2.0
// Our side of the comparison of budgets: a model of the zoo, plain and within budgets.
// bench/vs_pytorch.py drives it; bench/peer/budget_step.py is its mirror.
//
//   make NAME [KEY=VALUE...]  the model and a batch of synthetic data: sizes of zoo::ModelSpec, and
//                             `batch`, its sequences or images
//   model FILE                writes parameters, buffers and batch, for the other side to load
//   results FILE              writes what the last step computed; all later steps are compared
//                             with that
//   budget LABEL bytes|share NUMBER
//   budget LABEL minimum      makes a budget, and steps until it is planned
//   step [LABEL]              one step: plain, or within that budget
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <torch/torch.h>
#include <nlohmann/json.hpp>

#include "bench/step.h"
#include "bench/trained_model.h"
#include "bench/usage.h"
#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "reprise/zoo/make_model.h"

namespace reprise::bench {
namespace {

constexpr int kUnmeasuredSteps = 3;  // one is recorded, and a plan may be corrected

TrainedModel make_trained(const std::vector<std::string>& words) {
  zoo::ModelSpec model{.name = words.at(1)};
  zoo::DataSpec data;
  const std::map<std::string, std::optional<std::int64_t>*> sizes = {
      {"layers", &model.layers},   {"dim", &model.dim},         {"heads", &model.heads},
      {"context", &model.context}, {"classes", &model.classes}, {"image_size", &model.image_size}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals);
    const std::int64_t value = std::stoll(words[i].substr(equals + 1));
    if (key == "batch") {
      data.batch_size = value;
    } else {
      *sizes.at(key) = value;
    }
  }
  torch::manual_seed(0);
  return {zoo::make_model(model),
          zoo::make_data(model, data)->batch(zoo::Split::kTrain, /*index=*/0)};
}

MemoryBudget make_budget(const std::vector<std::string>& words) {
  const std::string& kind = words.at(2);
  if (kind == "bytes") {
    return MemoryBudget::above_start(std::stoll(words.at(3)));
  }
  if (kind == "share") {
    return MemoryBudget::share_of_peak(std::stod(words.at(3)));
  }
  if (kind == "minimum") {
    return MemoryBudget::minimum();
  }
  throw std::invalid_argument("budget_step: expected bytes, share or minimum, got " + kind);
}

class BudgetSteps {
 public:
  nlohmann::json answer(const std::vector<std::string>& words) {
    const std::string command = words.empty() ? "nothing" : words[0];
    if (command == "make") {
      trained_.emplace(make_trained(words));
      return {{"description", trained_->model().description()}};
    }
    if (!trained_) {
      throw std::invalid_argument("budget_step: expected make before " + command);
    }
    if (command == "model") {
      trained_->write_model(words.at(1));
      return nlohmann::json::object();
    }
    if (command == "results") {
      return keep_results(words.at(1));
    }
    if (command == "budget") {
      return add_budget(words);
    }
    if (command == "step") {
      return words.size() == 1 ? compared(trained_->step()) : step(*budgets_.at(words[1]));
    }
    throw std::invalid_argument("budget_step: expected make, model, results, budget or step, got " +
                                command);
  }

 private:
  nlohmann::json keep_results(const std::string& path) {
    trained_->write_results(path);
    gradients_ = copies(trained_->gradients());
    buffers_ = copies(trained_->buffers());
    return nlohmann::json::object();
  }

  nlohmann::json add_budget(const std::vector<std::string>& words) {
    auto budget = std::make_unique<MemoryBudget>(make_budget(words));
    try {
      for (int i = 0; i < kUnmeasuredSteps; ++i) {
        trained_->step({.budget = budget.get()});
      }
    } catch (const BudgetError& error) {
      return {{"minimum_bytes", error.minimum_bytes}, {"because", error.what()}};
    }
    const double plan_ms = budget->report().plan_ms;
    budgets_[words.at(1)] = std::move(budget);
    return {{"plan_ms", plan_ms}};
  }

  nlohmann::json step(MemoryBudget& budget) {
    nlohmann::json answer = compared(trained_->step({.budget = &budget}));
    const BudgetReport report = budget.report();
    answer["is_planned"] = report.last.plan != "unplanned";
    answer["limit_bytes"] = report.last.limit_bytes;
    answer["predicted_peak_bytes"] = report.last.predicted_peak_bytes;
    answer["predicted_overhead"] = report.last.predicted_overhead;
    answer["recomputed_ops"] = report.last.replayed_ops;
    return answer;
  }

  nlohmann::json compared(const Step& step) const {
    nlohmann::json answer = to_json(step);
    answer["gradients_equal"] = same_bits(trained_->gradients(), gradients_);
    answer["buffers_equal"] = same_bits(trained_->buffers(), buffers_);
    return answer;
  }

  static Tensors copies(Tensors tensors) {
    for (at::Tensor& tensor : tensors) {
      tensor = tensor.clone();
    }
    return tensors;
  }

  std::optional<TrainedModel> trained_;
  Tensors gradients_, buffers_;  // those that steps are compared with
  std::map<std::string, std::unique_ptr<MemoryBudget>> budgets_;
};

}  // namespace
}  // namespace reprise::bench

int main(int argc, char** argv) {
  reprise::bench::require_no_words(argc, argv,
                                   "budget_step < COMMANDS (bench/vs_pytorch.py drives it)");
  reprise::count_memory();
  reprise::bench::BudgetSteps steps;
  return reprise::bench::answer_commands([&](const auto& words) { return steps.answer(words); });
}
