// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/rotor_planner.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "reprise/plan/candidates.h"
#include "reprise/plan/chain/chain_of.h"
#include "reprise/plan/chain/rotor.h"
#include "reprise/plan/units.h"

namespace reprise::plan {
namespace {

constexpr std::size_t kMostStages = 200;
constexpr std::int64_t kEvenTries = 16;
constexpr std::int64_t kBisections = 12;
// Rows * stages * units of a table: about a second.
constexpr std::int64_t kMostWork = 1'500'000'000;
constexpr std::int64_t kMostUnits = 1000;
constexpr std::int64_t kLeastUnits = 350;  // every stage may keep a unit at least
// A chain counts a record and two gradients at a use that may need less.
constexpr std::int64_t kMostTimesTheBudget = 2;

std::int64_t keep_all_bytes(const Chain& chain) {
  std::vector<Action> actions = {snapshot(0)};
  const auto stages = std::ssize(chain.stages);
  for (std::int64_t i = 0; i < stages; ++i) {
    actions.push_back(record(i, 0));
  }
  for (std::int64_t i = stages; i-- > 0;) {
    actions.push_back(reverse(i, 0));
  }
  actions.push_back(discard(0));
  return simulate_chain(chain, actions).peak_bytes;
}

// The median.
std::int64_t usual_state_bytes(const Chain& chain) {
  std::vector<std::int64_t> all;
  for (const Stage& stage : chain.stages) {
    all.push_back(stage.output_bytes);
  }
  const auto middle = all.begin() + std::ssize(all) / 2;
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

RotorTable solve(const Chain& chain, std::int64_t budget_bytes) {
  const std::int64_t most_bytes = keep_all_bytes(chain);
  const std::int64_t wanted_bytes = budget_bytes > most_bytes / kMostTimesTheBudget
                                        ? most_bytes
                                        : kMostTimesTheBudget * budget_bytes;
  const RotorTable coarse(chain, wanted_bytes, 1);
  const std::int64_t largest_bytes = std::max(wanted_bytes, coarse.minimum_bytes());
  const std::int64_t rows = coarse.distinct_parts() * std::ssize(chain.stages);
  const std::int64_t units = std::clamp(kMostWork / rows, kLeastUnits, kMostUnits);
  // Rounded up, a state may count for much more than it is; a unit that divides the usual state
  // counts it as it is.
  const std::int64_t state_bytes = usual_state_bytes(chain);
  const std::int64_t states = state_bytes > 0 ? largest_bytes / state_bytes + 1 : units + 1;
  if (states > units) {
    return {chain, largest_bytes, units};
  }
  const std::int64_t unit_bytes = ceil_div(state_bytes, units / states);
  return {chain, ceil_div(largest_bytes, unit_bytes) * unit_bytes,
          ceil_div(largest_bytes, unit_bytes)};
}

class RotorTries {
 public:
  RotorTries(const Program& program, const PlanRequest& request)
      : program_(program), candidates_(program, request, 2 + kEvenTries + kBisections) {}

  std::optional<PlannerAnswer> run(std::int64_t budget_bytes) {
    goes_on_ = candidates_.offer({});
    candidates_.describe_last("everything is kept");
    if (!candidates_.last_fits() && goes_on_) {
      chain_ = *chain_of(program_).chain;
      scan(solve(chain_.chain, budget_bytes));
    }
    return candidates_.answer();
  }

 private:
  // Whether the plan for so much, which exists, fits the step's budget.
  bool fits_with(const RotorTable& table, std::int64_t chain_bytes) {
    goes_on_ = candidates_.offer(replays_of(program_, chain_, table.plan(chain_bytes)->actions));
    candidates_.describe_last("a chain of " + std::to_string(chain_.recipes.size()) + " stages");
    return candidates_.last_fits();
  }

  void scan(const RotorTable& table) {
    const std::int64_t range = table.largest_budget_bytes() - table.minimum_bytes();
    std::int64_t fitting = table.minimum_bytes();
    std::int64_t too_much = table.largest_budget_bytes();
    for (std::int64_t i = 0; goes_on_ && i <= kEvenTries; ++i) {
      const std::int64_t chain_bytes =
          table.minimum_bytes() + range / kEvenTries * i + range % kEvenTries * i / kEvenTries;
      if (fits_with(table, chain_bytes)) {
        fitting = chain_bytes;
        too_much = table.largest_budget_bytes();
      } else {
        too_much = std::min(too_much, chain_bytes);
      }
    }
    for (std::int64_t i = 0; goes_on_ && i < kBisections && too_much - fitting > 1; ++i) {
      const std::int64_t middle = fitting + (too_much - fitting) / 2;
      (fits_with(table, middle) ? fitting : too_much) = middle;
    }
  }

  const Program& program_;
  Candidates candidates_;
  ProgramChain chain_;
  bool goes_on_ = true;
};

class Rotor : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    return RotorTries(program, request).run(request.budget_bytes);
  }
};

}  // namespace

PlannerRecord rotor_record() {
  PlannerRecord record = record_of<Rotor>(
      "rotor", "dynamic programming over the unequal stages of a chain, within the byte budget");
  record.applies = [](const Program& program) { return why_not_chain(program, kMostStages); };
  return record;
}

}  // namespace reprise::plan
