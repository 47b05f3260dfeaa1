// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/ruin_recreate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "reprise/plan/search/editable_schedule.h"
#include "reprise/plan/search/shave.h"

namespace reprise::plan {
namespace {

constexpr std::array<double, 3> kInputFractions = {0, 0.3, 1};
constexpr std::array<double, 3> kNoises = {0, 0.3, 2};
constexpr double kManyReplays = 200;
constexpr double kLargeRuins = 0.1;  // of all, whatever the number of replays
constexpr std::array<int, 3> kEarlierUses = {0, 1, 4};
constexpr std::array<double, 2> kBatches = {0.04, 0};
constexpr std::size_t kPruneSample = 60;
constexpr double kLargestStepDown = 0.2;  // squared: most steps are small
constexpr double kDownTemperature = 0.01;

using Place = EditableSchedule::Place;

class Search {
 public:
  Search(const Program& program, const Schedule& start, const RuinOptions& options, Random& random)
      : program_(program),
        options_(options),
        random_(random),
        edited_(program, start, kSparePlaces),
        shaver_(edited_, random, options.go_on_within),
        best_(start),
        current_us_(edited_.recompute_us()),
        best_us_(current_us_) {}

  Schedule run(const std::function<bool()>& go_on) {
    for (std::int64_t i = 0; done(i) < 1 && go_on(); ++i) {
      edited_.forget_journal();
      const std::int64_t target = ruin();
      shaver_.shave(target,
                    {.input_fraction = kInputFractions[pick(3)], .noise = kNoises[pick(3)]});
      if (edited_.peak_bytes() > options_.budget_bytes) {
        edited_.roll_back(0);
        continue;
      }
      shaver_.prune(options_.budget_bytes, 0, kPruneSample);
      if (!accepts(options_.start_temperature * std::max(0.0, 1 - done(i)))) {
        edited_.roll_back(0);
      }
    }
    return best_;
  }

  Schedule run_down(const std::function<bool()>& go_on) {
    std::int64_t peak_bytes = edited_.peak_bytes();
    const std::int64_t enough_bytes = std::max(options_.budget_bytes, options_.enough_bytes);
    for (std::int64_t i = 0; done(i) < 1 && peak_bytes > enough_bytes && go_on(); ++i) {
      edited_.forget_journal();
      const double step = random_.unit() * kLargestStepDown;
      const std::int64_t target = std::max(
          options_.budget_bytes,
          static_cast<std::int64_t>((1 - step * step) * static_cast<double>(peak_bytes)) - 1);
      ruin_around_peak();
      shaver_.shave(target, {.input_fraction = kInputFractions[pick(3)],
                             .noise = kNoises[pick(3)],
                             .batch_fraction = kBatches[pick(2)],
                             .earlier_uses = kEarlierUses[pick(3)]});
      if (edited_.peak_bytes() <= peak_bytes) {
        shaver_.prune(std::min(peak_bytes, edited_.peak_bytes()), 0, kPruneSample);
      }
      if (edited_.peak_bytes() < peak_bytes ||
          (edited_.peak_bytes() == peak_bytes && accepts(kDownTemperature))) {
        peak_bytes = edited_.peak_bytes();
        current_us_ = edited_.recompute_us();
      } else {
        edited_.roll_back(0);
      }
    }
    return edited_.schedule();
  }

 private:
  // The share of the limits that is used up.
  double done(std::int64_t iteration) const {
    const std::int64_t work = edited_.edits() + shaver_.candidates() / 2;
    return std::max(static_cast<double>(iteration) / static_cast<double>(options_.iterations),
                    static_cast<double>(work) / static_cast<double>(options_.work));
  }

  std::size_t pick(std::int64_t count) { return static_cast<std::size_t>(random_.below(count)); }

  bool accepts(double temperature) {
    const double us = edited_.recompute_us();
    if (us > current_us_ &&
        random_.unit() >= std::exp((current_us_ - us) / (temperature * current_us_))) {
      return false;
    }
    current_us_ = us;
    if (us < best_us_ * (1 - 1e-12)) {
      best_us_ = us;
      best_ = edited_.schedule();
    }
    return true;
  }

  // Takes replays away, or asks for less than the budget; returns the bytes to shave to.
  std::int64_t ruin() {
    const double kind = random_.unit();
    if (kind < 0.4) {
      ruin_window();
    } else if (kind < 0.6) {
      const double share = (0.02 + 0.28 * random_.unit()) * small_share();
      erase_if([&](Place) { return random_.unit() < share; });
    } else if (kind < 0.75) {
      ruin_name();
    } else {
      const double share = 1 - 0.15 * small_share() * random_.unit();
      return static_cast<std::int64_t>(share * static_cast<double>(options_.budget_bytes));
    }
    return options_.budget_bytes;
  }

  // Ruins of a long program must stay local, or an iteration costs as much as a new plan.
  double small_share() {
    if (random_.unit() < kLargeRuins) {
      return 1;
    }
    return std::min(1.0, kManyReplays / (1.0 + static_cast<double>(edited_.replay_count())));
  }

  void ruin_window() {
    const auto uses = static_cast<std::int64_t>(program_.uses.size());
    const std::int64_t length = 1 + random_.below(std::clamp<std::int64_t>(uses / 3, 1, 40));
    const std::int64_t first = random_.below(uses);
    erase_if([&](Place place) {
      const int use = edited_.use_at(place);
      return use >= first && use < first + length;
    });
  }

  void ruin_around_peak() {
    const double kind = random_.unit();
    if (kind < 0.4) {
      return;
    }
    const auto peak = static_cast<Place>(edited_.bytes().argmax(0, edited_.places() - 1));
    const std::int64_t middle = std::max(0, edited_.use_at(peak));
    const std::int64_t reach = 1 + random_.below(kind < 0.8 ? 6 : 30);
    const double share = random_.unit();
    erase_if([&](Place place) {
      const int use = edited_.use_at(place);
      return use >= middle - reach && use <= middle + reach && random_.unit() < share;
    });
  }

  void ruin_name() {
    if (edited_.replay_count() == 0) {
      return;
    }
    const Place any = edited_.replays()[pick(edited_.replay_count())];
    const std::string& name = recipe(any).name;
    const double share = small_share();
    erase_if([&](Place place) { return recipe(place).name == name && random_.unit() < share; });
  }

  template <class Condition>
  void erase_if(const Condition& condition) {
    doomed_ = edited_.replays();
    // The order of replays() depends on the edits before; the decisions must not.
    std::sort(doomed_.begin(), doomed_.end());
    std::erase_if(doomed_, [&](Place place) { return !condition(place); });
    for (const Place place : doomed_) {
      if (edited_.recipe_at(place) != kNoRecipe) {
        edited_.erase_with_feeders(place);
      }
    }
  }

  const Recipe& recipe(Place place) const {
    return program_.recipes[static_cast<std::size_t>(edited_.recipe_at(place))];
  }

  const Program& program_;
  const RuinOptions& options_;
  Random& random_;
  EditableSchedule edited_;
  Shaver shaver_;
  std::vector<Place> doomed_;
  Schedule best_;
  double current_us_;
  double best_us_;
};

}  // namespace

Schedule ruin_and_recreate(const Program& program, const Schedule& start,
                           const RuinOptions& options, Random& random,
                           const std::function<bool()>& go_on) {
  return Search(program, start, options, random).run(go_on);
}

Schedule lower_peak(const Program& program, const Schedule& start, const RuinOptions& options,
                    Random& random, const std::function<bool()>& go_on) {
  return Search(program, start, options, random).run_down(go_on);
}

}  // namespace reprise::plan
