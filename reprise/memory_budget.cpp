// SPDX-License-Identifier: Apache-2.0
#include "reprise/memory_budget.h"

#include <stdexcept>
#include <string>
#include <utility>

#include <torch/nn/module.h>

#include "reprise/budget_core.h"

namespace reprise {
namespace {

std::int64_t require_positive(std::int64_t bytes) {
  if (bytes <= 0) {
    throw std::invalid_argument("MemoryBudget: bytes must be positive, got " +
                                std::to_string(bytes));
  }
  return bytes;
}

}  // namespace

MemoryBudget::MemoryBudget(std::shared_ptr<Core> core) : core_(std::move(core)) {}

MemoryBudget::MemoryBudget(std::int64_t bytes, MemoryBudgetOptions options)
    : core_(std::make_shared<Core>(
          BudgetGoal{.kind = BudgetGoal::Kind::kTotal, .bytes = require_positive(bytes)},
          std::move(options))) {}

MemoryBudget MemoryBudget::above_start(std::int64_t bytes, MemoryBudgetOptions options) {
  return MemoryBudget(std::make_shared<Core>(
      BudgetGoal{.kind = BudgetGoal::Kind::kAboveStart, .bytes = require_positive(bytes)},
      std::move(options)));
}

MemoryBudget MemoryBudget::share_of_peak(double share, MemoryBudgetOptions options) {
  if (!(share > 0 && share <= 1)) {
    throw std::invalid_argument(
        "MemoryBudget::share_of_peak: share must be above 0 and at most 1, got " +
        std::to_string(share));
  }
  return MemoryBudget(std::make_shared<Core>(
      BudgetGoal{.kind = BudgetGoal::Kind::kShare, .share = share}, std::move(options)));
}

MemoryBudget MemoryBudget::minimum(MemoryBudgetOptions options) {
  return MemoryBudget(
      std::make_shared<Core>(BudgetGoal{.kind = BudgetGoal::Kind::kMinimum}, std::move(options)));
}

MemoryBudget::~MemoryBudget() = default;
MemoryBudget::MemoryBudget(MemoryBudget&& other) noexcept = default;
MemoryBudget& MemoryBudget::operator=(MemoryBudget&& other) noexcept = default;

void MemoryBudget::name(const torch::nn::Module& model) {
  for (const auto& parameter : model.named_parameters()) {
    core_->name(parameter.key(), parameter.value());
  }
  for (const auto& buffer : model.named_buffers()) {
    core_->name(buffer.key(), buffer.value());
  }
}

void MemoryBudget::name(const std::string& path, const at::Tensor& tensor) {
  core_->name(path, tensor);
}

BudgetReport MemoryBudget::report() const { return core_->report(); }

std::optional<plan::Program> MemoryBudget::program() const { return core_->program(); }

std::optional<plan::Schedule> MemoryBudget::schedule() const { return core_->schedule(); }

std::vector<plan::Schedule> MemoryBudget::schedules() const { return core_->schedules(); }

void MemoryBudget::reuse(std::vector<plan::Schedule> schedules) {
  core_->reuse(std::move(schedules));
}

}  // namespace reprise
