// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/step_chain_planners.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include "reprise/plan/candidates.h"
#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/chain/chain_of.h"
#include "reprise/plan/chain/mixed.h"

namespace reprise::plan {
namespace {

constexpr std::size_t kMostRevolveStages = 20'000;
constexpr std::size_t kMostMixedStages = 200;
constexpr std::int64_t kMostAdvances = 1'000'000;
constexpr std::int64_t kTriedAll = 64;

// Room for so many states (and records): a schedule for each count that is worth trying.
class CountedRoom : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    const ProgramChain chain = *chain_of(program).chain;
    const auto steps = std::ssize(chain.recipes);
    std::set<std::int64_t> open;
    for (std::int64_t count = 1; count < steps; count += count < kTriedAll ? 1 : 1 + count / 16) {
      open.insert(count);
    }
    open.insert(steps);

    Candidates candidates(program, request, 1 + 2 * std::ssize(open));
    bool goes_on = candidates.offer({});
    candidates.describe_last("everything is kept");
    if (candidates.last_fits()) {
      return candidates.answer();
    }
    std::int64_t best_count = 0;
    const auto try_one = [&](std::int64_t count) {
      if (!is_short_enough(steps, count)) {
        return;
      }
      const Outcome known = candidates.best();
      goes_on = candidates.offer(replays_of(program, chain, actions(steps, count)));
      candidates.describe_last("room for " + std::to_string(count) + " " + what() + " of " +
                               std::to_string(steps) + " stages");
      if (is_better(candidates.last(), known, request.budget_bytes)) {
        best_count = count;
      }
    };
    for (auto count = open.begin(); goes_on && count != open.end(); ++count) {
      try_one(*count);
    }
    // Those that were left out around the best.
    const auto after = open.upper_bound(best_count);
    const std::int64_t last = after == open.end() ? steps : *after;
    const std::int64_t first = std::max<std::int64_t>(1, best_count - best_count / 16);
    for (std::int64_t count = first; goes_on && count < last; ++count) {
      if (!open.contains(count)) {
        try_one(count);
      }
    }
    return candidates.answer();
  }

 private:
  virtual bool is_short_enough(std::int64_t steps, std::int64_t count) const = 0;
  virtual std::vector<Action> actions(std::int64_t steps, std::int64_t count) const = 0;
  virtual std::string what() const = 0;
};

class Revolve : public CountedRoom {
  bool is_short_enough(std::int64_t steps, std::int64_t count) const override {
    return revolve_advances(steps, count) <= kMostAdvances;
  }
  std::vector<Action> actions(std::int64_t steps, std::int64_t count) const override {
    return revolve_actions(steps, count);
  }
  std::string what() const override { return "snapshots"; }
};

class Mixed : public CountedRoom {
  bool is_short_enough(std::int64_t /*steps*/, std::int64_t /*count*/) const override {
    return true;
  }
  std::vector<Action> actions(std::int64_t steps, std::int64_t count) const override {
    return mixed_actions(steps, count);
  }
  std::string what() const override { return "states and records"; }
};

}  // namespace

PlannerRecord revolve_record() {
  PlannerRecord record = record_of<Revolve>(
      "revolve", "binomial checkpointing of a chain, with as many snapshots as fit");
  record.applies = [](const Program& program) {
    return why_not_chain(program, kMostRevolveStages);
  };
  return record;
}

PlannerRecord mixed_record() {
  PlannerRecord record = record_of<Mixed>(
      "mixed", "mixed checkpointing of a chain, with as many states and records as fit");
  record.applies = [](const Program& program) { return why_not_chain(program, kMostMixedStages); };
  return record;
}

}  // namespace reprise::plan
