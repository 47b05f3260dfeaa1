// SPDX-License-Identifier: Apache-2.0
// The policies that place no regions: a step within a number of bytes ("budget=40%"), with as few
// of them as an overhead allows ("overhead=10%", "budget=40%+overhead=10%"), or by a schedule that
// was made elsewhere ("schedule=FILE").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reprise/cli/amounts.h"
#include "reprise/cli/option_table.h"

namespace reprise::cli {

struct BudgetPolicy {
  std::optional<Budget> budget = {};    // nothing: that of the schedule, or the minimum
  std::optional<double> overhead = {};  // nothing: the fastest plan within the budget
  std::string schedule_path = {};       // "": a plan is made
};

// How they are written, for messages.
const std::vector<std::string>& budget_policy_forms();

// Nothing if `policy` is another. Throws UsageError, beginning with `option`, if it is one but has
// no budget above 0, no share of at most 100 %, no overhead, or no file.
std::optional<BudgetPolicy> read_budget_policy(const std::string& policy,
                                               const std::string& option);

// What --budget and --overhead, if they are given, say as a policy: "budget=X", "overhead=Y",
// "budget=X+overhead=Y", or "". Throws UsageError if one of them has no sense.
std::string text_of_budget(const OptionValues& values);

// They are the policy of that text; --schedule FILE alone is "schedule=FILE". Throws UsageError if
// an option that says the same is given as well.
void set_budget_policy(OptionValues& values);

// That of a run under `values`, which set_budget_policy() has seen; nothing if it has none.
std::optional<BudgetPolicy> budget_policy_of(const OptionValues& values);

// Throws UsageError if both are given.
void refuse_together(const OptionValues& values, const std::string& option,
                     const std::string& other);

}  // namespace reprise::cli
