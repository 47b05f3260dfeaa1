// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/shave.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "reprise/plan/index.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

constexpr int kMostShifts = 20;  // replays tried when nothing else helps
constexpr int kShiftUses = 4;    // how far back each may go
constexpr int kPatience = 3;     // rounds without less above the budget

}  // namespace

Shaver::Shaver(EditableSchedule& edited, Random& random, std::function<bool()> go_on)
    : edited_(edited), random_(random), go_on_(std::move(go_on)), chain_(edited) {
  const Program& program = edited.program();
  for (std::size_t value = 0; value < program.values.size(); ++value) {
    if (program.values[value].bytes > 0 && is_rebuildable(program, static_cast<int>(value))) {
      rebuildable_.push_back(static_cast<int>(value));
    }
  }
}

// Asks at every 64th step: one takes some microseconds.
bool Shaver::may_go_on() { return asked_++ % 64 != 0 || !go_on_ || go_on_(); }

void Shaver::find_candidates(int value, const ShaveOptions& options) {
  const Value& info = edited_.program().values[index(value)];
  const std::vector<Place>& readings = edited_.readings(value);
  if (readings.empty() || readings.back() <= over_.places().front()) {
    return;
  }
  const std::vector<Place>& productions = edited_.productions(value);
  auto made = productions.begin();
  bool is_forward = true;
  Place last_access =
      edited_.program().is_held(info) ? edited_.places() : static_cast<Place>(info.released_at);
  for (const Place reading : readings) {
    while (made != productions.end() && *made < reading) {
      last_access = *made++;
      is_forward = false;
    }
    const Place previous = last_access;
    last_access = is_forward ? std::max(last_access, reading) : reading;
    if (previous >= over_.places().back()) {
      break;
    }
    if (previous < reading && reading > over_.places().front()) {
      add_candidate(value, previous, reading, options);
    }
  }
}

void Shaver::add_candidate(int value, Place previous, Place reading, const ShaveOptions& options) {
  const OverBudget::Between over = over_.between(previous, reading);
  if (over.count == 0) {
    return;
  }
  const Program& program = edited_.program();
  const Value& info = program.values[index(value)];
  double factor = 1 / static_cast<double>(over.count);
  if (options.noise > 0) {
    factor *= std::exp(options.noise * (2 * random_.unit() - 1));
  }
  candidates_.push_back({.value = value,
                         .place = reading,
                         .recipe = edited_.recipe_at(reading),
                         .reference = over.reference,
                         .us_per_byte_factor = factor,
                         .score = factor * program.recipes[index(info.recipe)].cost_us /
                                  static_cast<double>(info.bytes),
                         .is_scored = false});
}

void Shaver::find_candidates(const ShaveOptions& options) {
  candidates_.clear();
  for (const int value : rebuildable_) {
    find_candidates(value, options);
  }
  candidate_count_ += static_cast<std::int64_t>(candidates_.size());
}

// Works out what the candidate costs, or that it costs more than the next. False if it relieves
// nothing.
bool Shaver::score(Candidate& candidate, double next_score, const ShaveOptions& options) {
  const std::int64_t bytes = edited_.program().values[index(candidate.value)].bytes;
  const double us_per_score = static_cast<double>(bytes) / candidate.us_per_byte_factor;
  // Twice what is known of it by now, so that a dear one is not built again and again.
  const double most_score = std::max(next_score, 2 * candidate.score);
  const RebuildChain::Answer answer =
      chain_.build(candidate.value, candidate.place, candidate.reference, options.input_fraction,
                   {.cost_us = most_score * us_per_score, .extended_bytes = bytes - 1});
  if (answer == RebuildChain::Answer::kTooDear) {
    candidate.score = chain_.cost_us() / us_per_score;
    return true;
  }
  candidate.score = candidate.us_per_byte_factor * chain_.cost_us() /
                    static_cast<double>(bytes - chain_.extended_bytes());
  candidate.is_scored = true;
  return answer == RebuildChain::Answer::kBuilt;
}

// Applies the best candidates until enough of them are or the budget is met; returns how many.
std::size_t Shaver::apply_best(const ShaveOptions& options, std::int64_t budget_bytes) {
  const auto batch = std::max<std::size_t>(
      1,
      static_cast<std::size_t>(options.batch_fraction * static_cast<double>(candidates_.size())));
  const auto is_later = [](const Candidate& a, const Candidate& b) {
    return std::tie(a.score, a.value, a.place) > std::tie(b.score, b.value, b.place);
  };
  std::make_heap(candidates_.begin(), candidates_.end(), is_later);
  std::size_t applied = 0;
  while (!candidates_.empty() && applied < batch && edited_.peak_bytes() > budget_bytes &&
         may_go_on()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), is_later);
    Candidate& candidate = candidates_.back();
    const bool may_go = is_open(candidate, budget_bytes);
    const bool is_next = candidate.is_scored;
    if (may_go && !is_next && score(candidate, candidates_.front().score, options)) {
      std::push_heap(candidates_.begin(), candidates_.end(), is_later);
      continue;
    }
    if (may_go && is_next) {
      applied += apply(candidate, options, budget_bytes) ? 1 : 0;
    }
    candidates_.pop_back();
  }
  return applied;
}

// Whether the reading is still where it was found and its reference still above the budget.
bool Shaver::is_open(const Candidate& candidate, std::int64_t budget_bytes) const {
  const std::vector<Place>& readings = edited_.readings(candidate.value);
  return edited_.recipe_at(candidate.place) == candidate.recipe &&
         std::binary_search(readings.begin(), readings.end(), candidate.place) &&
         edited_.bytes().at(candidate.reference) > budget_bytes;
}

bool Shaver::apply(const Candidate& candidate, const ShaveOptions& options,
                   std::int64_t budget_bytes) {
  const Program& program = edited_.program();
  const std::vector<Place>& readings = edited_.readings(candidate.value);
  const EditableSchedule::Stay stay = edited_.stay_at(candidate.value, candidate.place);
  const auto reading = std::lower_bound(readings.begin(), readings.end(), candidate.place);
  const Place last_access =
      std::max(stay.made != EditableSchedule::kNever
                   ? stay.made
                   : static_cast<Place>(program.values[index(candidate.value)].released_at),
               reading == readings.begin() ? EditableSchedule::kNever : *(reading - 1));
  if (last_access >= candidate.reference) {
    return false;
  }
  if (rebuild_at(candidate, candidate.place, options, budget_bytes)) {
    return true;
  }
  // Just before the reading there may be no room for it: gradients are large there.
  const int use = edited_.use_at(candidate.place);
  for (int earlier = use - 1; earlier >= std::max(0, use - options.earlier_uses); --earlier) {
    if (edited_.use_place(earlier) <= candidate.reference) {
      break;
    }
    if (rebuild_at(candidate, edited_.use_place(earlier), options, budget_bytes)) {
      return true;
    }
  }
  return false;
}

bool Shaver::rebuild_at(const Candidate& candidate, Place place, const ShaveOptions& options,
                        std::int64_t budget_bytes) {
  const Program& program = edited_.program();
  if (chain_.build(candidate.value, place, candidate.reference, options.input_fraction, {}) !=
      RebuildChain::Answer::kBuilt) {
    return false;
  }
  const std::int64_t peak_before = edited_.peak_bytes();
  const std::int64_t reference_before = edited_.bytes().at(candidate.reference);
  const EditableSchedule::Savepoint savepoint = edited_.savepoint();
  const Place at = edited_.make_room(place, static_cast<int>(chain_.recipes().size()), free_);
  if (at == EditableSchedule::kNever) {
    return false;
  }
  // An empty place cannot be relieved, and one of a use whose places were spread is another now.
  const bool has_reference = at == place && reference_before > 0;
  old_makers_.clear();
  for (std::size_t i = 0; i < free_.size(); ++i) {
    for (const int output : program.recipes[index(chain_.recipes()[i])].outputs) {
      if (const Place made = edited_.stay_at(output, free_[i]).made;
          made != EditableSchedule::kNever) {
        old_makers_.push_back(made);
      }
    }
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    edited_.insert(free_[i], chain_.recipes()[i]);
  }
  for (const Place made : old_makers_) {
    if (edited_.recipe_at(made) != kNoRecipe && !edited_.is_read(made)) {
      edited_.erase_with_feeders(made);
    }
  }
  const std::int64_t allowed = std::max(peak_before, budget_bytes);
  if (edited_.peak_bytes() > allowed ||
      (has_reference && edited_.bytes().at(candidate.reference) >= reference_before)) {
    edited_.roll_back(savepoint);
    return false;
  }
  return true;
}

// A replay that is itself above the budget: runs it before another use, before the use's gradients
// came or after others went.
bool Shaver::shift_any(const ShaveOptions& options, std::int64_t budget_bytes) {
  int tried = 0;
  for (const Place place : over_.places()) {
    if (edited_.is_replay_place(place) && edited_.recipe_at(place) != kNoRecipe) {
      if (shift(place, options, budget_bytes)) {
        return true;
      }
      if (++tried == kMostShifts) {
        break;
      }
    }
  }
  return false;
}

bool Shaver::shift(Place place, const ShaveOptions& options, std::int64_t budget_bytes) {
  const Program& program = edited_.program();
  int value = -1;
  Place first_reading = edited_.places();
  for (const int output : program.recipes[index(edited_.recipe_at(place))].outputs) {
    const std::vector<Place>& readings = edited_.readings(output);
    const auto next = std::upper_bound(readings.begin(), readings.end(), place);
    if (next != readings.end() && *next < edited_.stay_at(output, place + 1).ends_before &&
        *next < first_reading) {
      value = output;
      first_reading = *next;
    }
  }
  if (value < 0) {
    return false;
  }
  const Candidate candidate{.value = value,
                            .place = first_reading,
                            .recipe = edited_.recipe_at(first_reading),
                            .reference = place,
                            .us_per_byte_factor = 1,
                            .score = 0,
                            .is_scored = true};
  const int use = edited_.use_at(place);
  const std::int64_t peak_before = edited_.peak_bytes();
  const auto moves_to = [&](Place to) {
    const EditableSchedule::Savepoint savepoint = edited_.savepoint();
    edited_.erase_with_feeders(place);
    if (rebuild_at(candidate, to, options, std::max(budget_bytes, peak_before - 1)) &&
        edited_.peak_bytes() <= std::max(budget_bytes, peak_before - 1)) {
      return true;
    }
    edited_.roll_back(savepoint);
    return false;
  };
  for (int earlier = use - 1; earlier >= std::max(0, use - kShiftUses); --earlier) {
    if (moves_to(edited_.use_place(earlier))) {
      return true;
    }
  }
  return edited_.use_at(first_reading) > use && moves_to(first_reading);
}

bool Shaver::shave(std::int64_t budget_bytes, const ShaveOptions& options) {
  double least_over = std::numeric_limits<double>::infinity();
  int rounds_without_less = 0;
  while (edited_.peak_bytes() > budget_bytes) {
    if (go_on_ && !go_on_()) {
      return false;
    }
    over_.find(edited_.bytes(), budget_bytes);
    if (over_.excess_bytes() >= least_over) {
      if (++rounds_without_less >= kPatience) {
        return false;
      }
    } else {
      least_over = over_.excess_bytes();
      rounds_without_less = 0;
    }
    find_candidates(options);
    if (apply_best(options, budget_bytes) == 0 && !shift_any(options, budget_bytes)) {
      return false;
    }
  }
  return true;
}

void Shaver::prune(std::int64_t budget_bytes, EditableSchedule::Savepoint since,
                   std::size_t sample) {
  const std::int64_t limit = std::max(budget_bytes, edited_.peak_bytes());
  const Program& program = edited_.program();
  if (sample >= edited_.replays().size()) {
    prunable_ = edited_.replays();
  } else {
    edited_.inserted_since(since, prunable_);
    for (std::size_t i = 0; i < sample; ++i) {
      prunable_.push_back(
          edited_.replays()[static_cast<std::size_t>(random_.below(edited_.replay_count()))]);
    }
  }
  const auto cost_us = [&](Place place) {
    return program.recipes[index(edited_.recipe_at(place))].cost_us;
  };
  std::sort(prunable_.begin(), prunable_.end(), [&](Place a, Place b) {
    return cost_us(a) != cost_us(b) ? cost_us(a) > cost_us(b) : a < b;
  });
  for (const Place place : prunable_) {
    if (!may_go_on()) {
      break;
    }
    if (edited_.recipe_at(place) == kNoRecipe) {
      continue;
    }
    const EditableSchedule::Savepoint savepoint = edited_.savepoint();
    edited_.erase_with_feeders(place);
    if (edited_.peak_bytes() > limit) {
      edited_.roll_back(savepoint);
    }
  }
}

}  // namespace reprise::plan
