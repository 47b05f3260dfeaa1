// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/trainer.h"

#include <utility>

#include <ATen/CPUGeneratorImpl.h>

#include "reprise/cli/step_clock.h"
#include "reprise/memory.h"
#include "reprise/zoo/autocast_scope.h"

namespace reprise::cli {
namespace {

// Makes `state` the default generator's for a while; what it has become is put back into `state`.
class GeneratorWithState {
 public:
  explicit GeneratorWithState(at::Tensor& state)
      : generator_(at::detail::getDefaultCPUGenerator()),
        outer_(generator_.get_state()),
        state_(state) {
    generator_.set_state(state_);
  }
  ~GeneratorWithState() {
    state_ = generator_.get_state();
    generator_.set_state(outer_);
  }
  GeneratorWithState(const GeneratorWithState&) = delete;
  GeneratorWithState& operator=(const GeneratorWithState&) = delete;

 private:
  at::Generator generator_;
  at::Tensor outer_;
  at::Tensor& state_;
};

at::Tensor seeded_state(std::uint64_t seed) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return generator.get_state();
}

}  // namespace

Trainer::Trainer(const ModelMaker& make_model, std::uint64_t seed, const TrainerOptions& options)
    : options_(options), generator_state_(seeded_state(seed)) {
  const GeneratorWithState random(generator_state_);
  model_ = make_model();
  model_->train();
  optimizer_ = std::make_unique<torch::optim::AdamW>(
      model_->parameters(),
      torch::optim::AdamWOptions(options.learning_rate).weight_decay(options.weight_decay));
}

void Trainer::place(zoo::RegionPlacement placement) {
  placement.options.stats = region_stats_;
  model_->place_regions(std::move(placement));
}

double Trainer::add_gradients(const zoo::Batch& batch, double batches) {
  at::Tensor loss;
  {
    const zoo::AutocastScope autocast(options_.uses_bf16);
    loss = model_->loss(batch);
  }
  const auto value = loss.item<double>();
  (batches == 1 ? loss : loss / batches).backward();
  return value;
}

double Trainer::add_gradients_within_budget(const zoo::Batch& batch, double batches,
                                            StepResult& result) {
  const BudgetReport before = budget_->report();
  double loss = 0;
  {
    const auto scope = budget_->step();
    loss = add_gradients(batch, batches);
  }
  const BudgetReport after = budget_->report();
  const bool is_planned = after.planned_passes > before.planned_passes;
  result.replayed_ops += after.last.replayed_ops;
  // What cannot be planned need not be waited for.
  result.is_without_plan |= !is_planned && after.unplanned_because.empty();
  // A schedule that was given is not planned, but it is prepared once.
  result.has_planned |= after.plans > before.plans || (is_planned && before.planned_passes == 0);
  return loss;
}

StepResult Trainer::step(const std::vector<zoo::Batch>& batches,
                         const std::function<void()>& before_update) {
  const GeneratorWithState random(generator_state_);
  StepResult result;
  const auto count = static_cast<double>(batches.size());
  MemoryMeter meter;
  const StepClock clock;
  for (const zoo::Batch& batch : batches) {
    const double loss =
        budget_ ? add_gradients_within_budget(batch, count, result) : add_gradients(batch, count);
    result.loss += loss / count;
  }
  if (before_update) {
    before_update();
  }
  if (options_.clip_norm > 0) {
    torch::nn::utils::clip_grad_norm_(model_->parameters(), options_.clip_norm);
  }
  optimizer_->step();
  optimizer_->zero_grad();
  result.wall_ms = clock.wall_ms();
  result.cpu_ms = clock.cpu_ms();
  result.peak_bytes = meter.peak_bytes();
  result.total_peak_bytes = meter.total_peak_bytes();
  return result;
}

double Trainer::evaluate(const std::vector<zoo::Batch>& batches) {
  const torch::NoGradGuard no_gradients;
  at::Tensor untouched = generator_state_.clone();
  const GeneratorWithState random(untouched);
  model_->eval();
  double sum = 0;
  for (const zoo::Batch& batch : batches) {
    const zoo::AutocastScope autocast(options_.uses_bf16);
    sum += model_->loss(batch).item<double>();
  }
  model_->train();
  return sum / static_cast<double>(batches.size());
}

}  // namespace reprise::cli
