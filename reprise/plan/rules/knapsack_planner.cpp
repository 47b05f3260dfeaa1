// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/knapsack_planner.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "reprise/plan/candidates.h"
#include "reprise/plan/knapsack.h"
#include "reprise/plan/rebuild.h"
#include "reprise/plan/rules/blocks.h"

namespace reprise::plan {
namespace {

constexpr std::size_t kMostDpRecipes = 2'000;
constexpr std::int64_t kDpResolution = 4'096;
constexpr int kDpCapacities = 16;  // each half of the way to the next

// A recipe whose outputs backward keeps unless they are dropped.
struct Droppable {
  int recipe = 0;
  std::int64_t bytes = 0;
  double cost_us = 0;  // of the recipe and of what it needs and backward does not
};

std::vector<bool> needed_values(const Program& program) {
  std::vector<bool> is_needed(program.values.size(), false);
  for (const Use& use : program.uses) {
    for (const int value : use.needs) {
      is_needed[static_cast<std::size_t>(value)] = true;
    }
  }
  return is_needed;
}

std::vector<Droppable> droppable_recipes(const Program& program,
                                         const std::vector<bool>& is_needed) {
  // Rebuilding an input that backward does not keep comes on top. In the order of dependencies this
  // needs one pass; inputs that are made later in forward are counted as free.
  double all_us = 0;
  for (const Recipe& recipe : program.recipes) {
    all_us += recipe.cost_us;
  }
  std::vector<double> cost_us(program.recipes.size(), 0);
  std::vector<Droppable> droppable;
  for (const int id : forward_order(program)) {
    const Recipe& recipe = program.recipes[static_cast<std::size_t>(id)];
    double& cost = cost_us[static_cast<std::size_t>(id)];
    cost = recipe.cost_us;
    for (const int input : recipe.inputs) {
      const auto at = static_cast<std::size_t>(input);
      if (!is_needed[at] && is_rebuildable(program, input) &&
          !program.is_held(program.values[at])) {
        cost += cost_us[static_cast<std::size_t>(program.values[at].recipe)];
      }
    }
    cost = std::min(cost, all_us);  // shared inputs were added once per reader
    Droppable one{.recipe = id, .cost_us = cost};
    for (const int output : recipe.outputs) {
      const auto at = static_cast<std::size_t>(output);
      if (is_needed[at] && !program.is_held(program.values[at])) {
        one.bytes += program.values[at].bytes;
      }
    }
    if (recipe.replayable && one.bytes > 0) {
      droppable.push_back(one);
    }
  }
  return droppable;
}

// Most bytes per microsecond first.
void sort_by_density(std::vector<Droppable>& droppable) {
  std::stable_sort(droppable.begin(), droppable.end(), [](const Droppable& a, const Droppable& b) {
    return static_cast<double>(a.bytes) * b.cost_us > static_cast<double>(b.bytes) * a.cost_us;
  });
}

class Search {
 public:
  Search(const Program& program, const PlanRequest& request)
      : program_(program),
        candidates_(program, request, 1),
        is_needed_(needed_values(program)),
        droppable_(droppable_recipes(program, is_needed_)) {
    sort_by_density(droppable_);
    goes_on_ = candidates_.offer({});
  }

  // Prefixes of the order of density: growing steps until one fits, then back in halves.
  void run_greedy() {
    std::size_t too_few = 0;
    std::size_t enough = 0;
    while (goes_on_ && !candidates_.last_fits() && enough < droppable_.size()) {
      too_few = enough;
      enough = std::min(droppable_.size(), enough + 1 + enough / 4);
      offer_prefix(enough);
    }
    while (goes_on_ && enough - too_few > 1) {
      const std::size_t middle = too_few + (enough - too_few) / 2;
      offer_prefix(middle);
      (candidates_.last_fits() ? enough : too_few) = middle;
    }
  }

  void run_dp() {
    const bool nothing_to_gain = candidates_.answer()->fits && candidates_.best().recompute_us == 0;
    if (nothing_to_gain || droppable_.size() > kMostDpRecipes) {
      return;
    }
    std::vector<KnapsackItem> items;
    std::int64_t all_bytes = 0;
    for (const Droppable& one : droppable_) {
      items.push_back({.bytes = one.bytes, .saved_us = one.cost_us});
      all_bytes += one.bytes;
    }
    std::int64_t fits_bytes = 0;
    std::int64_t too_many_bytes = all_bytes;
    for (int i = 0; i < kDpCapacities && goes_on_ && too_many_bytes - fits_bytes > 1; ++i) {
      const std::int64_t capacity = fits_bytes + (too_many_bytes - fits_bytes) / 2;
      std::vector<bool> is_dropped(droppable_.size(), true);
      for (const int item : solve_knapsack(items, capacity, kDpResolution).items) {
        is_dropped[static_cast<std::size_t>(item)] = false;
      }
      offer(is_dropped, "kept by the knapsack: " + std::to_string(capacity) + " bytes");
      (candidates_.last_fits() ? fits_bytes : too_many_bytes) = capacity;
    }
  }

  std::optional<PlannerAnswer> answer() const { return candidates_.answer(); }

 private:
  void offer_prefix(std::size_t count) {
    std::vector<bool> is_dropped(droppable_.size(), false);
    std::fill_n(is_dropped.begin(), count, true);
    offer(is_dropped, "dropped by bytes per microsecond: " + std::to_string(count) + " recipes");
  }

  void offer(const std::vector<bool>& is_dropped, std::string note) {
    std::vector<bool> stays = is_needed_;
    for (std::size_t i = 0; i < droppable_.size(); ++i) {
      if (is_dropped[i]) {
        for (const int output :
             program_.recipes[static_cast<std::size_t>(droppable_[i].recipe)].outputs) {
          stays[static_cast<std::size_t>(output)] = false;
        }
      }
    }
    goes_on_ = candidates_.offer(rebuild_lazily(program_, stays));
    candidates_.describe_last(std::move(note));
  }

  const Program& program_;
  Candidates candidates_;
  std::vector<bool> is_needed_;  // per value: by some use
  std::vector<Droppable> droppable_;
  bool goes_on_ = true;
};

class Knapsack : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    const std::optional<std::string> solver = choice_option(request, "solver");
    Search search(program, request);
    if (solver != "dp") {
      search.run_greedy();
    }
    if (solver != "greedy") {
      search.run_dp();
    }
    return search.answer();
  }
};

}  // namespace

PlannerRecord knapsack_record() {
  return record_of<Knapsack>(
      "knapsack", "drop the most bytes per microsecond of recomputing first, until it fits",
      {{.name = "solver",
        .help = "how to choose what stays",
        .kind = OptionKind::kChoice,
        .default_text = "the better of both",
        .choices = {"greedy", "dp"}}});
}

}  // namespace reprise::plan
