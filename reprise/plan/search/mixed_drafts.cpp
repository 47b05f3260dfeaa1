// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/mixed_drafts.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "reprise/plan/rebuild.h"
#include "reprise/plan/search/blocks.h"
#include "reprise/plan/search/keep_cut.h"

namespace reprise::plan {
namespace {

constexpr int kBisections = 6;
// Just beside the price of the bound, where choices jump.
constexpr double kBelow = 1 / 1.02;
constexpr double kAbove = 1.02;

// Prices in multiples of the bound's, each with the boundaries of so many blocks kept; 0: none.
struct Round {
  std::vector<double> prices;
  std::vector<int> block_counts;
};

class Mixer {
 public:
  Mixer(const Program& program, std::int64_t budget_bytes, const std::function<bool()>& go_on,
        const std::function<void(JudgedSchedule)>& offer)
      : program_(program),
        budget_bytes_(budget_bytes),
        go_on_(go_on),
        offer_(offer),
        cut_(program, 0) {}

  void run() {
    const PricedBound bound = bound_at(cut_, budget_bytes_, go_on_);
    if (!std::isfinite(bound.us) || bound.us_per_byte <= 0) {
      return;
    }
    // The first round is for long programs and short limits.
    for (const Round& round :
         {Round{.prices = {kBelow, kAbove}, .block_counts = {0}},
          Round{.prices = {0.7, kBelow, 1, kAbove, 1.4, 4}, .block_counts = {0, 8, 24, 96}}}) {
      if (!add(round, bound.us_per_byte) || !mix()) {
        return;
      }
    }
  }

 private:
  struct Choice {
    std::vector<bool> stays;
    Outcome outcome;
  };

  bool fits(const Outcome& outcome) const { return outcome.peak_bytes <= budget_bytes_; }

  Outcome judge(const std::vector<bool>& stays) {
    Schedule schedule;
    schedule.replays = rebuild_lazily(program_, stays);
    JudgedSchedule draft = judged(program_, std::move(schedule));
    const Outcome outcome = draft.outcome;
    if (fits(outcome)) {
      offer_(std::move(draft));
    }
    return outcome;
  }

  bool add(const Round& round, double price) {
    for (const int count : round.block_counts) {
      const std::vector<bool> boundaries =
          count > 0 ? boundaries_stay(program_, find_blocks(program_, count))
                    : std::vector<bool>(program_.values.size(), false);
      for (const double factor : round.prices) {
        if (!go_on_()) {
          return false;
        }
        cut_.choose(factor * price);
        std::vector<bool> stays = boundaries;
        for (std::size_t value = 0; value < stays.size(); ++value) {
          const int recipe = program_.values[value].recipe;
          stays[value] = stays[value] || recipe == kNoRecipe || !cut_.runs(recipe);
        }
        const Outcome outcome = judge(stays);
        choices_.push_back({.stays = std::move(stays), .outcome = outcome});
      }
    }
    return true;
  }

  // What the two cost together, if cost and peak go hand in hand.
  double promise(const Outcome& low, const Outcome& high) const {
    const auto room = static_cast<double>(budget_bytes_ - low.peak_bytes);
    const auto range = static_cast<double>(high.peak_bytes - low.peak_bytes);
    return low.recompute_us + (high.recompute_us - low.recompute_us) * room / range;
  }

  // Mixes the most promising pair. False if it may not go on.
  bool mix() {
    const Choice* best_low = nullptr;
    const Choice* best_high = nullptr;
    double least_us = std::numeric_limits<double>::infinity();
    for (const Choice& low : choices_) {
      for (const Choice& high : choices_) {
        if (fits(low.outcome) && !fits(high.outcome) &&
            high.outcome.recompute_us < low.outcome.recompute_us &&
            promise(low.outcome, high.outcome) < least_us) {
          best_low = &low;
          best_high = &high;
          least_us = promise(low.outcome, high.outcome);
        }
      }
    }
    return best_low == nullptr || bisect(*best_low, *best_high);
  }

  bool bisect(const Choice& low, const Choice& high) {
    double fitting = 0;
    double too_much = 1;
    for (int i = 0; i < kBisections; ++i) {
      if (!go_on_()) {
        return false;
      }
      const double share = (fitting + too_much) / 2;
      const auto first =
          static_cast<std::int64_t>((1 - share) * static_cast<double>(program_.ops()));
      std::vector<bool> stays = low.stays;
      for (std::size_t value = 0; value < stays.size(); ++value) {
        stays[value] =
            program_.values[value].made_at >= first ? high.stays[value] : low.stays[value];
      }
      (fits(judge(stays)) ? fitting : too_much) = share;
    }
    return true;
  }

  const Program& program_;
  std::int64_t budget_bytes_;
  const std::function<bool()>& go_on_;
  const std::function<void(JudgedSchedule)>& offer_;
  KeepCut cut_;
  std::vector<Choice> choices_;
};

}  // namespace

void offer_mixed_drafts(const Program& program, std::int64_t budget_bytes,
                        const std::function<bool()>& go_on,
                        const std::function<void(JudgedSchedule)>& offer) {
  Mixer(program, budget_bytes, go_on, offer).run();
}

}  // namespace reprise::plan
