// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/budget_policy.h"

#include "reprise/cli/errors.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

constexpr const char* kBudget = "budget=";
constexpr const char* kOverhead = "overhead=";
constexpr const char* kAnd = "+";
constexpr const char* kSchedule = "schedule=";

// What stands behind `prefix`.
std::optional<std::string> behind(const std::string& prefix, const std::string& text) {
  return text.rfind(prefix, 0) == 0 ? std::optional(text.substr(prefix.size())) : std::nullopt;
}

// "40%", or "40%+overhead=10%".
BudgetPolicy read_budget_and_overhead(const std::string& text, const std::string& option) {
  const std::string between = std::string(kAnd) + kOverhead;
  const std::size_t at = text.find(between);
  BudgetPolicy policy{.budget = parse_budget(text.substr(0, at), option)};
  if (at != std::string::npos) {
    policy.overhead = parse_overhead(text.substr(at + between.size()), option);
  }
  return policy;
}

}  // namespace

const std::vector<std::string>& budget_policy_forms() {
  static const std::vector<std::string> forms = {"budget=BYTES", "overhead=SHARE", "schedule=FILE"};
  return forms;
}

std::optional<BudgetPolicy> read_budget_policy(const std::string& policy,
                                               const std::string& option) {
  if (const auto text = behind(kBudget, policy)) {
    return read_budget_and_overhead(*text, option);
  }
  if (const auto text = behind(kOverhead, policy)) {
    return BudgetPolicy{.overhead = parse_overhead(*text, option)};
  }
  if (const auto path = behind(kSchedule, policy)) {
    if (path->empty()) {
      throw UsageError(option + ": expected schedule=FILE, got " + in_quotes(policy));
    }
    return BudgetPolicy{.schedule_path = *path};
  }
  return std::nullopt;
}

std::string text_of_budget(const OptionValues& values) {
  std::string text;
  if (values.is_given("budget")) {
    parse_budget(values.text("budget"), "--budget");
    text = kBudget + values.text("budget");
  }
  if (values.is_given("overhead")) {
    parse_overhead(values.text("overhead"), "--overhead");
    text += (text.empty() ? "" : kAnd) + (kOverhead + values.text("overhead"));
  }
  return text;
}

void set_budget_policy(OptionValues& values) {
  for (const char* other : {"policy", "compare"}) {
    refuse_together(values, "budget", other);
    refuse_together(values, "overhead", other);
    refuse_together(values, "schedule", other);
  }
  refuse_together(values, "overhead", "schedule");
  if (const std::string text = text_of_budget(values); !text.empty()) {
    values.set("policy", text);
  } else if (values.is_given("schedule")) {
    values.set("policy", kSchedule + values.text("schedule"));
  }
}

std::optional<BudgetPolicy> budget_policy_of(const OptionValues& values) {
  std::optional<BudgetPolicy> policy = read_budget_policy(values.text("policy"), "--policy");
  if (policy && values.is_given("schedule")) {
    policy->schedule_path = values.text("schedule");
  }
  return policy;
}

void refuse_together(const OptionValues& values, const std::string& option,
                     const std::string& other) {
  if (values.is_given(option) && values.is_given(other)) {
    throw UsageError("--" + option + ": expected without --" + other + ", got both");
  }
}

}  // namespace reprise::cli
