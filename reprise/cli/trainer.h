// SPDX-License-Identifier: Apache-2.0
// One model with its optimizer and its own random stream, trained step by step.
//
// 1. A trainer's random numbers are its own: several that are stepped in turn draw what each would
//    draw alone, and the default generator is as before after each call.
// 2. No gradient is alive between steps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <torch/torch.h>

#include "reprise/memory_budget.h"
#include "reprise/tape/region_stats.h"
#include "reprise/zoo/model.h"

namespace reprise::cli {

struct TrainerOptions {
  double learning_rate = 3e-4;
  double weight_decay = 0.01;
  double clip_norm = 0;  // 0: gradients are not clipped
  bool uses_bf16 = false;
};

struct StepResult {
  double loss = 0;  // mean over the batches of the step, before the update
  double wall_ms = 0;
  double cpu_ms = 0;                  // of all threads of the process
  std::int64_t peak_bytes = 0;        // most live bytes above those when the step began
  std::int64_t total_peak_bytes = 0;  // most live bytes, all that the process holds
  std::int64_t replayed_ops = 0;      // under a budget
  // Under a budget, some pass ran before there was a plan that it could follow.
  bool is_without_plan = false;
  // Part of its time went into planning.
  bool has_planned = false;

  // Its times are like those of the steps to come.
  bool is_typical() const { return !is_without_plan && !has_planned; }
};

class Trainer {
 public:
  using ModelMaker = std::function<std::shared_ptr<zoo::Model>()>;

  // `make_model` draws the parameters from the default generator, seeded with `seed`.
  Trainer(const ModelMaker& make_model, std::uint64_t seed, const TrainerOptions& options);

  // Forward and backward over each batch (gradients are of the mean), then one AdamW update.
  // `before_update`, if any, is called between the two, when the gradients are complete and not
  // yet clipped. Under a budget it throws what a MemoryBudget::Step throws.
  StepResult step(const std::vector<zoo::Batch>& batches,
                  const std::function<void()>& before_update = {});

  // Mean loss in evaluation mode, without gradients. REQUIRES: batches is not empty.
  double evaluate(const std::vector<zoo::Batch>& batches);

  // Where regions lie from now on; region_stats() counts what they do.
  void place(zoo::RegionPlacement placement);
  tape::RegionStats& region_stats() { return *region_stats_; }

  // Forward and backward of each batch is a pass under this budget from now on.
  void set_budget(std::optional<MemoryBudget> budget) { budget_ = std::move(budget); }
  std::optional<MemoryBudget>& budget() { return budget_; }

  zoo::Model& model() { return *model_; }
  torch::optim::AdamW& optimizer() { return *optimizer_; }

  // State of the CPU's generator, as at::Generator::get_state() gives it.
  const at::Tensor& generator_state() const { return generator_state_; }
  void set_generator_state(const at::Tensor& state) { generator_state_ = state; }

 private:
  // The loss of the batch; its gradients, over `batches`, are added to those that are there.
  double add_gradients(const zoo::Batch& batch, double batches);
  double add_gradients_within_budget(const zoo::Batch& batch, double batches, StepResult& result);

  TrainerOptions options_;
  at::Tensor generator_state_;
  // Owners: this, and whoever asks the module for itself (shared_from_this()), as torch does.
  std::shared_ptr<zoo::Model> model_;
  std::unique_ptr<torch::optim::AdamW> optimizer_;
  // Owners: this, which reads it, and the regions of the model, which may outlive a step.
  std::shared_ptr<tape::RegionStats> region_stats_ = std::make_shared<tape::RegionStats>();
  std::optional<MemoryBudget> budget_;
};

}  // namespace reprise::cli
