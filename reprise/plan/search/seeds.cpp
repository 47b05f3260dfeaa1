// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/seeds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "reprise/plan/rebuild.h"
#include "reprise/plan/search/block_drafts.h"
#include "reprise/plan/search/blocks.h"
#include "reprise/plan/search/keep_cut.h"
#include "reprise/plan/search/shave.h"

namespace reprise::plan {
namespace {

// The most useful ones first: whoever has no time sees no other.
constexpr std::array<int, 11> kBlockCounts = {24, 12, 48, 8, 96, 32, 16, 6, 4, 3, 2};
constexpr int kCutPrices = 24;
constexpr double kPriceStep = 1.4;
// Larger programs shave only the most promising.
constexpr std::size_t kManyRecipes = 3000;
constexpr std::size_t kPromising = 14;
constexpr std::size_t kLowest = 4;

class SeedFinder {
 public:
  SeedFinder(const Program& program, std::int64_t budget_bytes, const std::function<bool()>& go_on,
             std::int64_t enough_bytes)
      : program_(program),
        budget_bytes_(budget_bytes),
        go_on_([this, &go_on] { return !is_enough_ && go_on(); }),
        enough_bytes_(enough_bytes),
        cut_(program, 0) {}

  // At least one; fewer than all if it may not go on.
  std::vector<JudgedSchedule> raw_seeds() {
    add({});
    if (go_on_() && add_cuts() && add_blocks()) {
      offer_block_drafts(
          program_, budget_bytes_,
          {.block_counts = {12, 24, 48, 96}, .shares = {0.35, 0.5, 0.7, 0.86, 0.93, 1, 1.1, 1.25}},
          cut_, [this](std::vector<Replays> replays, int) {
            add(std::move(replays));
            return go_on_();
          });
    }
    return std::move(seeds_);
  }

  bool is_enough() const { return is_enough_; }

  // What a seed may cost once it fits: bytes above the budget at the price of the bound.
  double promise(const JudgedSchedule& seed) const {
    const auto over =
        static_cast<double>(std::max<std::int64_t>(0, seed.outcome.peak_bytes - budget_bytes_));
    return seed.outcome.recompute_us + price_ * over;
  }

 private:
  double find_price() {
    const PricedBound bound = bound_at(cut_, budget_bytes_, go_on_);
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
    is_enough_ = is_enough_ || seeds_.back().outcome.peak_bytes <= enough_bytes_;
  }

  bool add_cuts() {
    price_ = find_price();
    for (int i = 0; i < kCutPrices; ++i) {
      if (!go_on_()) {
        return false;
      }
      cut_.choose(price_ * std::pow(kPriceStep, i - kCutPrices / 2));
      std::vector<bool> stays(program_.values.size(), true);
      for (std::size_t value = 0; value < stays.size(); ++value) {
        const int recipe = program_.values[value].recipe;
        stays[value] = recipe == kNoRecipe || !cut_.runs(recipe);
      }
      add(rebuild_lazily(program_, stays));
    }
    return true;
  }

  bool add_blocks() {
    return go_on_() && offer_boundary_drafts(program_, [this](std::vector<Replays> replays) {
             add(std::move(replays));
             return go_on_();
           });
  }

  const Program& program_;
  std::int64_t budget_bytes_;
  std::function<bool()> go_on_;
  std::int64_t enough_bytes_;
  bool is_enough_ = false;
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

bool offer_boundary_drafts(const Program& program,
                           const std::function<bool(std::vector<Replays>)>& offer) {
  return std::all_of(kBlockCounts.begin(), kBlockCounts.end(), [&](int count) {
    return offer(rebuild_lazily(program, boundaries_stay(program, find_blocks(program, count))));
  });
}

std::vector<JudgedSchedule> find_seeds(const Program& program, std::int64_t budget_bytes,
                                       Random& random, const std::function<bool()>& go_on,
                                       std::int64_t enough_bytes) {
  SeedFinder finder(program, budget_bytes, go_on, enough_bytes);
  std::vector<JudgedSchedule> raw = finder.raw_seeds();
  const bool is_large = program.recipes.size() > kManyRecipes;
  if (is_large && raw.size() > kPromising + kLowest) {
    keep_promising(raw, finder);
  }
  const std::vector<double> input_fractions =
      is_large ? std::vector<double>{0.3} : std::vector<double>{0.3, 0};
  std::vector<JudgedSchedule> seeds;
  bool goes_on = !finder.is_enough();
  for (std::size_t i = 0; goes_on && i < raw.size(); ++i) {
    for (const double input_fraction : input_fractions) {
      goes_on = goes_on && go_on();
      if (!goes_on) {
        break;
      }
      EditableSchedule edited(program, raw[i].schedule, kSparePlaces);
      Shaver shaver(edited, random, go_on);
      shaver.shave(budget_bytes, {.input_fraction = input_fraction});
      shaver.prune(budget_bytes, 0, std::numeric_limits<std::size_t>::max());
      seeds.push_back(
          {.schedule = edited.schedule(),
           .outcome = {.peak_bytes = edited.peak_bytes(), .recompute_us = edited.recompute_us()}});
      goes_on = edited.peak_bytes() > enough_bytes;
    }
  }
  if (!goes_on || !go_on()) {
    // A draft that was not shaved may be the best that there is.
    std::move(raw.begin(), raw.end(), std::back_inserter(seeds));
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
