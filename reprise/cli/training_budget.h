// SPDX-License-Identifier: Apache-2.0
// The MemoryBudget that a policy of the command line asks for, and what it says when it refuses.
#pragma once

#include <cstdint>
#include <string>

#include "reprise/cli/budget_policy.h"
#include "reprise/memory_budget.h"

namespace reprise::cli {

// `options`: of the budget, but for the schedule that the policy names.
// Throws FormatError if the schedule's file cannot be read or is none.
MemoryBudget make_budget(const BudgetPolicy& policy, MemoryBudgetOptions options = {});

// The limit of `budget`, which `policy` asked for, above the start of a pass: for where more than
// the one model that the total is meant for is alive. Steps under it are planned anew.
MemoryBudget above_start_like(const MemoryBudget& budget, const BudgetPolicy& policy);

// Of an error that leaves a step under `policy`: throws BudgetError (errors.h) that begins with
// `name`, or, if the policy names a schedule, FormatError that begins with its file.
[[noreturn]] void throw_refusal(const reprise::BudgetError& error, const BudgetPolicy& policy,
                                const std::string& name);

// What `work`, steps under `policy`, gives; its refusals as throw_refusal() says them.
template <class Work>
auto with_refusals(const std::optional<BudgetPolicy>& policy, const std::string& name,
                   const Work& work) {
  try {
    return work();
  } catch (const reprise::BudgetError& error) {
    throw_refusal(error, policy.value_or(BudgetPolicy{}), name);
  }
}

}  // namespace reprise::cli
