// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/seeds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "reprise/plan/rebuild.h"
#include "reprise/plan/search/block_rotor.h"
#include "reprise/plan/search/blocks.h"
#include "reprise/plan/search/keep_cut.h"
#include "reprise/plan/search/shave.h"

namespace reprise::plan {
namespace {

constexpr std::array<int, 11> kBlockCounts = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96};
constexpr std::array<int, 4> kRotorBlockCounts = {12, 24, 48, 96};
constexpr std::int64_t kRotorUnits = 200;
// Chain budgets, as shares of the step's: the chain leaves some bytes out and counts others twice.
constexpr std::array<double, 8> kRotorShares = {0.35, 0.5, 0.7, 0.86, 0.93, 1, 1.1, 1.25};
constexpr int kCutPrices = 24;
constexpr double kPriceStep = 1.4;
// Larger programs shave only the most promising.
constexpr std::size_t kManyRecipes = 3000;
constexpr std::size_t kPromising = 14;
constexpr std::size_t kLowest = 4;

class SeedFinder {
 public:
  SeedFinder(const Program& program, std::int64_t budget_bytes)
      : program_(program), budget_bytes_(budget_bytes), cut_(program, 0) {}

  std::vector<JudgedSchedule> raw_seeds() {
    const double price = find_price();
    add({});
    for (int i = 0; i < kCutPrices; ++i) {
      cut_.choose(price * std::pow(kPriceStep, i - kCutPrices / 2));
      std::vector<bool> stays(program_.values.size(), true);
      for (std::size_t value = 0; value < stays.size(); ++value) {
        const int recipe = program_.values[value].recipe;
        stays[value] = recipe == kNoRecipe || !cut_.runs(recipe);
      }
      add(rebuild_lazily(program_, stays));
    }
    for (const int count : kBlockCounts) {
      add(rebuild_lazily(program_, boundaries_stay(program_, find_blocks(program_, count))));
    }
    for (const int count : kRotorBlockCounts) {
      add_rotor(count);
    }
    price_ = price;
    return std::move(seeds_);
  }

  // What a seed may cost once it fits: bytes above the budget at the price of the bound.
  double promise(const JudgedSchedule& seed) const {
    const auto over =
        static_cast<double>(std::max<std::int64_t>(0, seed.outcome.peak_bytes - budget_bytes_));
    return seed.outcome.recompute_us + price_ * over;
  }

 private:
  double find_price() {
    const PricedBound bound = bound_at(cut_, budget_bytes_);
    if (std::isfinite(bound.us) && bound.us_per_byte > 0) {
      return bound.us_per_byte;
    }
    std::int64_t bytes = 0;
    for (const Value& value : program_.values) {
      bytes += value.bytes;
    }
    return std::max(program_.forward_us, 1.0) /
           static_cast<double>(std::max<std::int64_t>(1, bytes));
  }

  void add(std::vector<Replays> replays) {
    for (const JudgedSchedule& other : seeds_) {
      if (other.schedule.replays == replays) {
        return;
      }
    }
    Schedule schedule;
    schedule.replays = std::move(replays);
    seeds_.push_back(judged(program_, std::move(schedule)));
  }

  void add_rotor(int count) {
    const BlockChain chain = make_block_chain(program_, find_blocks(program_, count), cut_);
    const auto largest =
        static_cast<std::int64_t>(kRotorShares.back() * static_cast<double>(budget_bytes_)) + 1;
    const RotorTable table(chain.chain, largest, kRotorUnits);
    for (const double share : kRotorShares) {
      const auto bytes = static_cast<std::int64_t>(share * static_cast<double>(budget_bytes_));
      if (const std::optional<RotorPlan> plan = table.plan(bytes)) {
        add(lower(program_, chain, plan->actions));
      }
    }
  }

  const Program& program_;
  std::int64_t budget_bytes_;
  KeepCut cut_;
  double price_ = 0;
  std::vector<JudgedSchedule> seeds_;
};

void keep_promising(std::vector<JudgedSchedule>& seeds, const SeedFinder& finder) {
  std::stable_sort(seeds.begin(), seeds.end(),
                   [](const JudgedSchedule& a, const JudgedSchedule& b) {
                     return a.outcome.peak_bytes < b.outcome.peak_bytes;
                   });
  std::vector<JudgedSchedule> kept(seeds.begin(), seeds.begin() + kLowest);
  std::stable_sort(seeds.begin() + kLowest, seeds.end(),
                   [&](const JudgedSchedule& a, const JudgedSchedule& b) {
                     return finder.promise(a) < finder.promise(b);
                   });
  kept.insert(kept.end(), seeds.begin() + kLowest, seeds.begin() + kLowest + kPromising);
  seeds = std::move(kept);
}

}  // namespace

std::vector<JudgedSchedule> find_seeds(const Program& program, std::int64_t budget_bytes,
                                       Random& random, const std::function<bool()>& go_on) {
  SeedFinder finder(program, budget_bytes);
  std::vector<JudgedSchedule> raw = finder.raw_seeds();
  const bool is_large = program.recipes.size() > kManyRecipes;
  if (is_large && raw.size() > kPromising + kLowest) {
    keep_promising(raw, finder);
  }
  std::vector<JudgedSchedule> seeds;
  for (const JudgedSchedule& seed : raw) {
    for (const double input_fraction : {0.3, 0.0}) {
      if (!seeds.empty() && ((is_large && input_fraction == 0) || !go_on())) {
        continue;
      }
      EditableSchedule edited(program, seed.schedule, kSparePlaces);
      Shaver shaver(edited, random);
      shaver.shave(budget_bytes, {.input_fraction = input_fraction});
      shaver.prune(budget_bytes, 0, std::numeric_limits<std::size_t>::max());
      seeds.push_back(
          {.schedule = edited.schedule(),
           .outcome = {.peak_bytes = edited.peak_bytes(), .recompute_us = edited.recompute_us()}});
    }
  }
  std::stable_sort(seeds.begin(), seeds.end(),
                   [&](const JudgedSchedule& a, const JudgedSchedule& b) {
                     return is_better(a.outcome, b.outcome, budget_bytes);
                   });
  const auto same = [](const JudgedSchedule& a, const JudgedSchedule& b) {
    return a.schedule.replays == b.schedule.replays;
  };
  seeds.erase(std::unique(seeds.begin(), seeds.end(), same), seeds.end());
  return seeds;
}

}  // namespace reprise::plan
