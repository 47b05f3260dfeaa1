// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/auto_planner.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reprise/plan/assert.h"
#include "reprise/plan/candidates.h"
#include "reprise/plan/chain/rotor_planner.h"
#include "reprise/plan/exact/exact_planner.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/rules/keep_or_drop_all.h"
#include "reprise/plan/search/search_planner.h"
#include "reprise/plan/search/seeds.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {
namespace {

// Of the time that planning takes, roughly.
constexpr double kRotorShare = 0.1;
constexpr double kFloorShare = 0.2;
constexpr double kExactShare = 0.5;
// A proof is worth waiting for, but not for long.
constexpr std::int64_t kMostExactSteps = 1'000'000;

// An answer and what simulate() says of its schedule.
struct Judged {
  PlannerAnswer answer;
  Outcome outcome;
};

// Asks one planner after the other within one request, and adds up what that takes.
class Inquiry {
 public:
  Inquiry(const Program& program, const PlanRequest& request)
      : program_(program), request_(request), floor_bytes_(peak_floor(program).bytes) {}

  std::int64_t budget_bytes() const { return request_.budget_bytes; }
  bool is_floor() const { return request_.budget_bytes == floor_bytes_; }
  bool fits(const Judged& judged) const {
    return judged.outcome.peak_bytes <= request_.budget_bytes;
  }

  // `from` and `to`: its share of the whole, for progress. REQUIRES: was_stopped() is false.
  Judged ask(const PlannerRecord& record, double from, double to) {
    return ask(record, request_.budget_bytes, from, to);
  }
  Judged ask_floor(const PlannerRecord& record, double from, double to) {
    return ask(record, floor_bytes_, from, to);
  }

  // Whether no other planner may be asked.
  bool was_stopped() {
    is_out_of_time_ =
        is_out_of_time_ || (request_.time_limit_s > 0 && elapsed_s() >= request_.time_limit_s);
    return is_cancelled_ || is_out_of_time_;
  }

  // Whether `second` is better; of two that fit and are equally fast the first, whose note has more
  // to say.
  bool beats(const Judged& second, const Judged& first) const {
    const bool is_as_fast =
        fits(first) && second.outcome.recompute_us >= first.outcome.recompute_us;
    return !is_as_fast && is_better(second.outcome, first.outcome, request_.budget_bytes);
  }

  PlannerAnswer take(Judged judged, std::string note) const {
    PlannerAnswer& answer = judged.answer;
    answer.note = std::move(note);
    answer.fits = fits(judged);
    answer.iterations = iterations_;
    answer.is_cancelled = is_cancelled_;
    answer.is_out_of_time = is_out_of_time_;
    return std::move(answer);
  }

 private:
  Judged ask(const PlannerRecord& record, std::int64_t budget_bytes, double from, double to) {
    PlanRequest request = request_;
    request.budget_bytes = budget_bytes;
    if (record.is_exact) {
      request.iterations = request_.iterations > 0 ? std::min(request_.iterations, kMostExactSteps)
                                                   : kMostExactSteps;
    }
    if (request_.time_limit_s > 0) {
      request.time_limit_s = std::max(1e-3, request_.time_limit_s - elapsed_s());
    }
    if (request_.on_progress) {
      request.on_progress = [this, from, to](const PlanProgress& progress) {
        return request_.on_progress(whole(progress, from, to));
      };
    }
    std::optional<PlannerAnswer> found = record.make()->find(program_, request);
    REPRISE_ASSERT(found.has_value(), "a planner that auto asks found no schedule at all");
    Judged judged{.answer = *std::move(found), .outcome = {}};
    judged.outcome = outcome_of(simulate(program_, judged.answer.schedule));
    iterations_ += judged.answer.iterations;
    is_cancelled_ = judged.answer.is_cancelled;
    is_out_of_time_ = judged.answer.is_out_of_time;
    if (!shown_ || is_better(judged.outcome, *shown_, request_.budget_bytes)) {
      shown_ = judged.outcome;
    }
    return judged;
  }

  double elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  PlanProgress whole(PlanProgress progress, double from, double to) const {
    progress.iterations += iterations_;
    progress.fraction = from + (to - from) * progress.fraction;
    progress.fits = progress.fits && progress.best_peak_bytes <= request_.budget_bytes;
    const Outcome shown{.peak_bytes = progress.best_peak_bytes,
                        .recompute_us = progress.best_recompute_us};
    // Before its first schedule a planner shows none.
    if (shown_ && (!progress.fits || is_better(*shown_, shown, request_.budget_bytes))) {
      progress.best_peak_bytes = shown_->peak_bytes;
      progress.best_recompute_us = shown_->recompute_us;
      progress.fits = shown_->peak_bytes <= request_.budget_bytes;
    }
    return progress;
  }

  const Program& program_;
  const PlanRequest& request_;
  std::int64_t floor_bytes_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<Outcome> shown_;
  std::int64_t iterations_ = 0;
  bool is_cancelled_ = false;
  bool is_out_of_time_ = false;
};

// Whether one of the drafts that every way down of `search` begins with fits: then the budget is
// met, whatever the rest of the way is.
bool is_surely_met(const Program& program, std::int64_t budget_bytes) {
  return !offer_boundary_drafts(program, [&](std::vector<Replays> replays) {
    Schedule schedule;
    schedule.replays = std::move(replays);
    return simulate(program, schedule).peak_bytes > budget_bytes;
  });
}

// The smallest budget that auto meets is the lowest peak of its planners' answers to the floor,
// whatever they find for other budgets: so it is one number. `search` says for every budget whether
// its own is met (PlannerAnswer::is_minimum); the others are asked for the floor, but only where
// that decides.
class Auto : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    Inquiry inquiry(program, request);
    if (simulate_keep_all(program).peak_bytes <= request.budget_bytes) {
      return inquiry.take(inquiry.ask(keep_all_record(), 0, 1),
                          "picked keep_all because everything fits");
    }
    if (!exact_record().applies(program)) {
      return small(program, inquiry);
    }
    if (const std::optional<std::string> why_not = rotor_record().applies(program)) {
      return inquiry.take(inquiry.ask(search_record(), 0, 1),
                          "picked search because the program is too large for exact, and for "
                          "rotor " +
                              *why_not);
    }
    return chain(inquiry);
  }

 private:
  static PlannerAnswer small(const Program& program, Inquiry& inquiry) {
    const std::string stopped =
        "picked exact because the program is small, but it was stopped early";
    std::optional<Judged> lowest;
    if (!inquiry.is_floor() && !is_surely_met(program, inquiry.budget_bytes())) {
      lowest = inquiry.ask_floor(exact_record(), 0, kFloorShare);
      if (inquiry.was_stopped()) {
        return inquiry.take(*std::move(lowest), stopped);
      }
    }
    const bool is_met = !lowest || inquiry.fits(*lowest);
    if (lowest && !is_met && lowest->answer.is_proved) {
      lowest->answer.is_minimum = true;
      return inquiry.take(*std::move(lowest),
                          "picked exact because the program is small enough to try everything");
    }
    Judged exact = inquiry.ask(exact_record(), kFloorShare, kExactShare);
    if (exact.answer.is_proved && (is_met || inquiry.is_floor())) {
      exact.answer.is_minimum = !inquiry.fits(exact);
      return inquiry.take(std::move(exact),
                          "picked exact because the program is small enough to try everything");
    }
    if (inquiry.was_stopped()) {
      return inquiry.take(std::move(exact), stopped);
    }
    return better_of(
        inquiry, std::move(exact), std::move(lowest), inquiry.ask(search_record(), kExactShare, 1),
        "picked search because exact ran out of iterations and search finds a better plan",
        "picked exact because the program is small, but it ran out of iterations and proves "
        "nothing");
  }

  static PlannerAnswer chain(Inquiry& inquiry) {
    Judged rotor = inquiry.ask(rotor_record(), 0, kRotorShare);
    if (inquiry.was_stopped()) {
      return inquiry.take(
          std::move(rotor),
          "picked rotor because the program is a chain, and there was no time to ask search");
    }
    Judged search = inquiry.ask(search_record(), kRotorShare, 1);
    std::optional<Judged> lowest;
    if (search.answer.is_minimum && !inquiry.is_floor()) {
      lowest = inquiry.ask_floor(rotor_record(), 1, 1);
    }
    return better_of(
        inquiry, std::move(rotor), std::move(lowest), std::move(search),
        "picked search because its plan for this chain beats that of rotor",
        "picked rotor because the program is a chain, and search finds nothing better");
  }

  // `lowest`: the first planner's answer to the floor, if that was asked for on its own.
  static PlannerAnswer better_of(Inquiry& inquiry, Judged first, std::optional<Judged> lowest,
                                 Judged search, const std::string& search_note,
                                 const std::string& first_note) {
    // Where neither way down meets the budget, what was found for it alone does not count.
    const bool is_refused = lowest && search.answer.is_minimum && !inquiry.fits(*lowest);
    if (lowest && (is_refused || inquiry.beats(*lowest, first))) {
      first = *std::move(lowest);
    }
    const bool is_minimum =
        search.answer.is_minimum && !inquiry.fits(first) && !inquiry.was_stopped();
    const bool is_search = inquiry.beats(search, first);
    Judged& best = is_search ? search : first;
    best.answer.is_minimum = is_minimum;
    return inquiry.take(std::move(best), is_search ? search_note : first_note);
  }
};

}  // namespace

PlannerRecord auto_record() {
  return record_of<Auto>("auto",
                         "the planner that suits the program's structure and size (the default)");
}

}  // namespace reprise::plan
