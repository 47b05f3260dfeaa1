// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/training_budget.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "reprise/cli/errors.h"
#include "reprise/cli/file_bytes.h"
#include "reprise/plan/format_error.h"
#include "reprise/plan/serialize.h"

namespace reprise::cli {

MemoryBudget make_budget(const BudgetPolicy& policy, MemoryBudgetOptions options) {
  if (!policy.schedule_path.empty()) {
    options.schedule = plan::read_schedule(read_file(policy.schedule_path), policy.schedule_path);
  }
  options.objective.most_overhead = policy.overhead;
  const Budget budget = policy.budget.value_or(Budget{.kind = Budget::Kind::kMinimum});
  switch (budget.kind) {
    case Budget::Kind::kBytes:
      return MemoryBudget(budget.bytes, std::move(options));
    case Budget::Kind::kShare:
      return MemoryBudget::share_of_peak(budget.percent / 100, std::move(options));
    case Budget::Kind::kMinimum:
      break;
  }
  // Without a limit the first step keeps everything, and so records the program that every other
  // such step records: one that had to evict records another, which the schedule is not for.
  return MemoryBudget::minimum(std::move(options));
}

MemoryBudget above_start_like(const MemoryBudget& budget, const BudgetPolicy& policy) {
  return MemoryBudget::above_start(std::max<std::int64_t>(1, budget.report().last.limit_bytes),
                                   {.objective = {.most_overhead = policy.overhead}});
}

void throw_refusal(const reprise::BudgetError& error, const BudgetPolicy& policy,
                   const std::string& name) {
  std::string what = error.what();
  const std::string place = "MemoryBudget: ";
  if (what.rfind(place, 0) == 0) {
    what.erase(0, place.size());
  }
  if (!policy.schedule_path.empty()) {
    throw FormatError(policy.schedule_path, what);
  }
  throw BudgetError(name + ": " + what);
}

}  // namespace reprise::cli
