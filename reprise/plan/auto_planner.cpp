// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/auto_planner.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "reprise/plan/candidates.h"
#include "reprise/plan/chain/rotor_planner.h"
#include "reprise/plan/exact/exact_planner.h"
#include "reprise/plan/rules/keep_or_drop_all.h"
#include "reprise/plan/search/search_planner.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {
namespace {

constexpr double kRotorShare = 0.1;  // of the time that planning a chain takes, roughly

// Asks one planner after the other within one request and keeps the best answer.
class Inquiry {
 public:
  Inquiry(const Program& program, const PlanRequest& request)
      : program_(program), request_(request) {}

  // Whether another planner may be asked.
  bool goes_on() {
    answer_.is_out_of_time = answer_.is_out_of_time ||
                             (request_.time_limit_s > 0 && elapsed_s() >= request_.time_limit_s);
    return !answer_.is_cancelled && !answer_.is_out_of_time;
  }

  // `from` and `to`: its share of the whole, for progress. True if its answer is the best so far.
  bool ask(const PlannerRecord& record, double from, double to) {
    PlanRequest request = request_;
    if (request_.time_limit_s > 0) {
      request.time_limit_s = std::max(1e-3, request_.time_limit_s - elapsed_s());
    }
    if (request_.on_progress) {
      request.on_progress = [this, from, to](const PlanProgress& progress) {
        return request_.on_progress(whole(progress, from, to));
      };
    }
    std::optional<PlannerAnswer> found = record.make()->find(program_, request);
    if (!found) {
      return false;
    }
    const Outcome outcome = outcome_of(simulate(program_, found->schedule));
    found->iterations += answer_.iterations;
    // Of two that fit and are equally fast the first: its note has more to say.
    const bool is_as_fast = best_ && answer_.fits && outcome.recompute_us >= best_->recompute_us;
    const bool is_best =
        !best_ || (!is_as_fast && is_better(outcome, *best_, request_.budget_bytes));
    if (is_best) {
      best_ = outcome;
      answer_ = std::move(*found);
    } else {
      answer_.iterations = found->iterations;
      answer_.is_cancelled = found->is_cancelled;
      answer_.is_out_of_time = found->is_out_of_time;
    }
    return is_best;
  }

  bool is_proved() const { return answer_.is_proved; }

  PlannerAnswer take(std::string note) {
    answer_.note = std::move(note);
    return std::move(answer_);
  }

 private:
  double elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  PlanProgress whole(PlanProgress progress, double from, double to) const {
    progress.iterations += answer_.iterations;
    progress.fraction = from + (to - from) * progress.fraction;
    const Outcome shown{.peak_bytes = progress.best_peak_bytes,
                        .recompute_us = progress.best_recompute_us};
    // Before its first schedule a planner shows none.
    if (best_ && (!progress.fits || is_better(*best_, shown, request_.budget_bytes))) {
      progress.best_peak_bytes = best_->peak_bytes;
      progress.best_recompute_us = best_->recompute_us;
      progress.fits = answer_.fits;
    }
    return progress;
  }

  const Program& program_;
  const PlanRequest& request_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<Outcome> best_;
  PlannerAnswer answer_;
};

class Auto : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    Inquiry inquiry(program, request);
    if (simulate_keep_all(program).peak_bytes <= request.budget_bytes) {
      inquiry.ask(keep_all_record(), 0, 1);
      return inquiry.take("picked keep_all because everything fits");
    }
    if (!exact_record().applies(program)) {
      return small(inquiry);
    }
    const PlannerRecord rotor = rotor_record();
    if (const std::optional<std::string> why_not = rotor.applies(program)) {
      inquiry.ask(search_record(), 0, 1);
      return inquiry.take(
          "picked search because the program is too large for exact, and for "
          "rotor " +
          *why_not);
    }
    inquiry.ask(rotor, 0, kRotorShare);
    if (!inquiry.goes_on()) {
      return inquiry.take(
          "picked rotor because the program is a chain, and there was no time to ask search");
    }
    return inquiry.take(inquiry.ask(search_record(), kRotorShare, 1)
                            ? "picked search because its plan for this chain beats that of rotor"
                            : "picked rotor because the program is a chain, and search finds "
                              "nothing better");
  }

 private:
  static PlannerAnswer small(Inquiry& inquiry) {
    inquiry.ask(exact_record(), 0, 1);
    if (inquiry.is_proved()) {
      return inquiry.take("picked exact because the program is small enough to try everything");
    }
    if (!inquiry.goes_on()) {
      return inquiry.take("picked exact because the program is small, but it was stopped early");
    }
    return inquiry.take(
        inquiry.ask(search_record(), 0, 1)
            ? "picked search because exact ran out of iterations and search finds a better plan"
            : "picked exact because the program is small, but it ran out of iterations and "
              "proves nothing");
  }
};

}  // namespace

PlannerRecord auto_record() {
  return record_of<Auto>("auto",
                         "the planner that suits the program's structure and size (the default)");
}

}  // namespace reprise::plan
