// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/search_planner.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "reprise/plan/candidates.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/search/descent.h"
#include "reprise/plan/search/mixed_drafts.h"
#include "reprise/plan/search/ruin_recreate.h"
#include "reprise/plan/search/seeds.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {
namespace {

constexpr std::size_t kStarts = 4;          // seeds that are improved on their own
constexpr std::int64_t kStartShare = 6;     // each gets a sixth of the iterations
constexpr double kLastTemperature = 0.004;  // of the last run, from the best of all
constexpr std::int64_t kWork = 3'500'000;   // of a search without a limit of the user's
constexpr std::int64_t kReportEvery = 16;
constexpr double kReportEveryS = 0.05;  // or what takes longer

// Counts iterations against the request's limits and tells its caller how far the search is.
class Limits {
 public:
  Limits(const PlanRequest& request, std::int64_t iterations)
      : request_(request), iterations_(iterations) {}

  // Whether another iteration may begin; counts it.
  bool begin_iteration() {
    if (!may_go_on() || done_ >= iterations_) {
      return false;
    }
    if (done_++ % kReportEvery == 0) {
      report();
    }
    return !is_cancelled_;
  }

  // Whether what is under way may go on. Its caller can cancel it too, but is not asked each time.
  bool may_go_on() {
    const double spent = spent_s();
    is_out_of_time_ =
        is_out_of_time_ || (request_.time_limit_s > 0 && spent >= request_.time_limit_s);
    if (++asked_ % kReportEvery == 0 || spent - reported_s_ > kReportEveryS) {
      report();
    }
    return !is_cancelled_ && !is_out_of_time_;
  }

  void report() {
    if (!request_.on_progress || is_cancelled_) {
      return;
    }
    reported_s_ = spent_s();
    const double fraction =
        static_cast<double>(done_) / static_cast<double>(std::max<std::int64_t>(1, iterations_));
    is_cancelled_ = is_cancelled_ || !request_.on_progress({.iterations = done_,
                                                            .fraction = std::min(1.0, fraction),
                                                            .best_peak_bytes = best_.peak_bytes,
                                                            .best_recompute_us = best_.recompute_us,
                                                            .fits = fits_});
  }

  void set_best(const Outcome& best) {
    best_ = best;
    fits_ = best.peak_bytes <= request_.budget_bytes;
  }

  std::int64_t done() const { return done_; }
  std::int64_t left() const { return iterations_ - done_; }
  bool is_cancelled() const { return is_cancelled_; }
  bool is_out_of_time() const { return is_out_of_time_; }

 private:
  double spent_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  const PlanRequest& request_;
  std::int64_t iterations_;
  std::int64_t done_ = 0;
  std::int64_t asked_ = 0;
  double reported_s_ = 0;
  bool is_cancelled_ = false;
  bool is_out_of_time_ = false;
  Outcome best_;
  bool fits_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class SearchRun {
 public:
  SearchRun(const Program& program, const PlanRequest& request)
      : program_(program),
        request_(request),
        floor_bytes_(peak_floor(program).bytes),
        random_(request.seed),
        iterations_(request.iterations > 0 ? request.iterations
                                           : default_search_iterations(program)),
        limits_(request, iterations_) {}

  PlannerAnswer run() {
    limits_.report();
    if (program_.uses.empty() || simulate_keep_all(program_).peak_bytes <= request_.budget_bytes) {
      PlannerAnswer keep_all;
      keep_all.is_cancelled = limits_.is_cancelled();
      return keep_all;
    }
    const std::optional<JudgedSchedule> quick = quick_draft();
    std::vector<JudgedSchedule> seeds = descend_to_budget();
    best_ = seeds.front();
    // It does not count if the way down ends above the budget: that says what is met.
    if (quick && (fits(best_) || !limits_.may_go_on())) {
      seeds.push_back(*quick);
      offer(*quick);
    }
    limits_.set_best(best_.outcome);
    if (fits(best_) && limits_.may_go_on()) {
      improve_all(best_seeds(std::move(seeds)));
    }
    return {.schedule = std::move(best_.schedule),
            .fits = fits(best_),
            .is_minimum = !fits(best_) && limits_.may_go_on(),
            .iterations = limits_.done(),
            .is_cancelled = limits_.is_cancelled(),
            .is_out_of_time = limits_.is_out_of_time(),
            .note = {}};
  }

 private:
  bool fits(const JudgedSchedule& seed) const {
    return seed.outcome.peak_bytes <= request_.budget_bytes;
  }

  RuinOptions options(std::int64_t iterations, double temperature) {
    return {.budget_bytes = request_.budget_bytes,
            .iterations = iterations,
            .work = request_.iterations > 0 ? RuinOptions{}.work : kWork * iterations / iterations_,
            .start_temperature = temperature,
            .go_on_within = [this] { return limits_.may_go_on(); }};
  }

  void offer(const JudgedSchedule& seed) {
    if (is_better(seed.outcome, best_.outcome, request_.budget_bytes)) {
      best_ = seed;
      limits_.set_best(best_.outcome);
    }
  }

  // The cheapest of the drafts that are there at once, for a search that is stopped soon.
  std::optional<JudgedSchedule> quick_draft() {
    std::optional<JudgedSchedule> cheapest;
    offer_mixed_drafts(
        program_, request_.budget_bytes, [this] { return limits_.may_go_on(); },
        [&](JudgedSchedule draft) {
          if (!cheapest || is_better(draft.outcome, cheapest->outcome, request_.budget_bytes)) {
            cheapest = std::move(draft);
          }
        });
    return cheapest;
  }

  std::vector<JudgedSchedule> descend_to_budget() {
    return descend(program_, floor_bytes_,
                   {.enough_bytes = request_.budget_bytes,
                    .seed = request_.seed,
                    .iterations = iterations_,
                    .work = request_.iterations > 0 ? RuinOptions{}.work : kWork,
                    .begin_iteration = [this] { return limits_.begin_iteration(); },
                    .go_on = [this] { return limits_.may_go_on(); }});
  }

  // The best few that fit, of `known` ones and of seeds for the budget.
  std::vector<JudgedSchedule> best_seeds(std::vector<JudgedSchedule> known) {
    std::erase_if(known, [this](const JudgedSchedule& seed) { return !fits(seed); });
    // For the floor the way down began with just these.
    if (request_.budget_bytes > floor_bytes_) {
      for (JudgedSchedule& seed : find_seeds(program_, request_.budget_bytes, random_,
                                             [this] { return limits_.may_go_on(); })) {
        if (fits(seed)) {
          known.push_back(std::move(seed));
        }
      }
    }
    std::stable_sort(known.begin(), known.end(),
                     [this](const JudgedSchedule& a, const JudgedSchedule& b) {
                       return is_better(a.outcome, b.outcome, request_.budget_bytes);
                     });
    const auto same = [](const JudgedSchedule& a, const JudgedSchedule& b) {
      return a.schedule.replays == b.schedule.replays;
    };
    known.erase(std::unique(known.begin(), known.end(), same), known.end());
    known.resize(std::min(known.size(), kStarts));
    return known;
  }

  void improve_all(const std::vector<JudgedSchedule>& seeds) {
    offer(seeds.front());
    for (const JudgedSchedule& seed : seeds) {
      improve(seed, iterations_ / kStartShare, RuinOptions{}.start_temperature);
    }
    improve(JudgedSchedule(best_), std::max<std::int64_t>(1, limits_.left()), kLastTemperature);
  }

  void improve(const JudgedSchedule& seed, std::int64_t iterations, double temperature) {
    if (!limits_.may_go_on()) {
      return;
    }
    offer(judged(program_,
                 ruin_and_recreate(program_, seed.schedule, options(iterations, temperature),
                                   random_, [this] { return limits_.begin_iteration(); })));
  }

  const Program& program_;
  const PlanRequest& request_;
  std::int64_t floor_bytes_;
  Random random_;
  std::int64_t iterations_;
  Limits limits_;
  JudgedSchedule best_;
};

class SearchPlanner : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    return SearchRun(program, request).run();
  }
};

}  // namespace

PlannerRecord search_record() {
  return record_of<SearchPlanner>(
      "search", "Local search from minimum cuts, blocks and their rotor; any program");
}

std::int64_t default_search_iterations(const Program& program) {
  const auto size =
      static_cast<double>(program.values.size() + program.recipes.size() + program.uses.size());
  // An iteration takes longer with the size, and above some thousand ops much longer.
  const double iterations = 3e7 / std::max(1.0, size) * std::min(1.0, 6e4 / std::max(1.0, size));
  // A handful of recipes has few neighbours.
  const auto most =
      static_cast<std::int64_t>(100 + 8 * program.recipes.size() * program.recipes.size());
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(iterations), 40,
                                  std::min<std::int64_t>(most, 30'000));
}

}  // namespace reprise::plan
