// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/rotor.h"

#include <algorithm>
#include <limits>
#include <map>

#include "reprise/plan/checks.h"
#include "reprise/plan/units.h"

namespace reprise::plan {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
constexpr std::int64_t kTooMuch = std::numeric_limits<std::int64_t>::max() / 2;
constexpr int kNoRow = -1;

std::vector<std::int64_t> sizes_of(const Chain& chain) {
  std::vector<std::int64_t> sizes = {chain.input_bytes};
  for (const Stage& stage : chain.stages) {
    sizes.insert(sizes.end(), {stage.output_bytes, stage.transient_bytes});
    for (const StageOption& option : stage.options) {
      sizes.insert(sizes.end(), {option.saved_bytes, option.forward_transient_bytes,
                                 option.backward_transient_bytes});
    }
  }
  return sizes;
}

}  // namespace

RotorTable::RotorTable(Chain chain, std::int64_t largest_budget_bytes, std::int64_t resolution)
    : chain_(std::move(chain)), largest_budget_bytes_(largest_budget_bytes) {
  require_valid(chain_, "RotorTable");
  require_at_least("RotorTable", "largest_budget_bytes", largest_budget_bytes, 0);
  require_at_least("RotorTable", "resolution", resolution, 1);
  // The input is there all the time and no part of any decision.
  const std::int64_t most_free =
      std::max<std::int64_t>(0, largest_budget_bytes - chain_.input_bytes);
  unit_bytes_ = unit_for(sizes_of(chain_), most_free, resolution);
  width_ = static_cast<std::size_t>(most_free / unit_bytes_) + 1;
  find_rows();
  times_.assign(parts_.size() * width_, kImpossible);
  least_bytes_.assign(parts_.size(), kTooMuch);
  // Rows were found in order of length, and a part's decisions lead to shorter parts.
  for (const auto& [first, last] : parts_) {
    fill(first, last);
  }
}

// Two parts are equal if they begin with equal states and their stages are equal. Only then do they
// share a row; a longer part is named by the row of all but its last stage and that stage's class.
void RotorTable::find_rows() {
  const std::size_t stages = chain_.stages.size();
  std::vector<int> class_of(stages);
  std::vector<std::size_t> classes;  // the first stage of each
  for (std::size_t i = 0; i < stages; ++i) {
    const auto known = std::find_if(classes.begin(), classes.end(), [&](std::size_t other) {
      return chain_.stages[other] == chain_.stages[i];
    });
    class_of[i] = static_cast<int>(known - classes.begin());
    if (known == classes.end()) {
      classes.push_back(i);
    }
  }
  row_of_.assign(stages * stages, kNoRow);
  std::map<std::pair<std::int64_t, int>, int> known;
  for (std::size_t length = 1; length <= stages; ++length) {
    known.clear();
    for (std::size_t first = 0; first + length <= stages; ++first) {
      const std::size_t last = first + length - 1;
      const std::int64_t begin = length == 1 ? state_bytes(chain_, static_cast<std::int64_t>(first))
                                             : row(first, last - 1);
      const auto [place, is_new] =
          known.try_emplace({begin, class_of[last]}, static_cast<int>(parts_.size()));
      row_of_[first * stages + last] = place->second;
      if (is_new) {
        parts_.emplace_back(first, last);
      }
    }
  }
}

// Calls function(move) for every decision about stages [first, last].
template <class Function>
void RotorTable::for_each_move(std::size_t first, std::size_t last, Function function) const {
  const auto bytes = [&](std::size_t state) {
    return state_bytes(chain_, static_cast<std::int64_t>(state));
  };
  const std::int64_t gradient_bytes = bytes(last + 1);
  const Stage& stage = chain_.stages[first];
  for (std::size_t k = 0; k < stage.options.size(); ++k) {
    const StageOption& option = stage.options[k];
    // The stage runs beside the gradient of the part's end, and is reversed beside its own two.
    const std::int64_t forward_bytes =
        gradient_bytes + option.saved_bytes + option.forward_transient_bytes;
    const std::int64_t backward_bytes =
        bytes(first + 1) + option.saved_bytes + bytes(first) + option.backward_transient_bytes;
    function(Move{.split = 0,
                  .option = static_cast<int>(k),
                  .time_us = option.forward_us + option.backward_us,
                  .need_bytes = std::max(forward_bytes, backward_bytes),
                  .shift_bytes = option.saved_bytes,
                  .later = first == last ? kNoRow : row(first + 1, last),
                  .earlier = kNoRow});
  }
  double forward_us = 0;
  std::int64_t need_bytes = 0;
  for (std::size_t split = first + 1; split <= last; ++split) {
    const Stage& run = chain_.stages[split - 1];
    forward_us += run.forward_us;
    // The part's first state is held outside its budget, later ones only while they are needed.
    const std::int64_t input_bytes = split - 1 > first ? bytes(split - 1) : 0;
    need_bytes =
        std::max(need_bytes, input_bytes + bytes(split) + run.transient_bytes + gradient_bytes);
    function(Move{.split = static_cast<std::int64_t>(split),
                  .option = 0,
                  .time_us = forward_us,
                  .need_bytes = need_bytes,
                  .shift_bytes = bytes(split),
                  .later = row(split, last),
                  .earlier = row(first, split - 1)});
  }
}

void RotorTable::fill(std::size_t first, std::size_t last) {
  const int here = row(first, last);
  double* const best = times(here);
  std::int64_t& least = least_bytes_[static_cast<std::size_t>(here)];
  for_each_move(first, last, [&](const Move& move) {
    least = std::min(least, std::max({move.need_bytes, least_bytes(move.later) + move.shift_bytes,
                                      least_bytes(move.earlier)}));

    const auto shift = static_cast<std::size_t>(ceil_div(move.shift_bytes, unit_bytes_));
    const std::size_t need =
        std::max(static_cast<std::size_t>(ceil_div(move.need_bytes, unit_bytes_)), shift);
    if (need >= width_) {
      return;
    }
    if (move.later == kNoRow) {
      for (std::size_t units = need; units < width_; ++units) {
        best[units] = std::min(best[units], move.time_us);
      }
      return;
    }
    const double* const later = times(move.later);
    if (move.earlier == kNoRow) {
      for (std::size_t units = need; units < width_; ++units) {
        best[units] = std::min(best[units], move.time_us + later[units - shift]);
      }
      return;
    }
    const double* const earlier = times(move.earlier);
    for (std::size_t units = need; units < width_; ++units) {
      best[units] = std::min(best[units], move.time_us + later[units - shift] + earlier[units]);
    }
  });
}

double RotorTable::time_us(int row, std::int64_t free_bytes) const {
  if (row == kNoRow) {
    return 0;
  }
  const auto units = static_cast<std::size_t>(free_bytes / unit_bytes_);
  return times_[static_cast<std::size_t>(row) * width_ + std::min(units, width_ - 1)];
}

std::int64_t RotorTable::least_bytes(int row) const {
  return row == kNoRow ? 0 : least_bytes_[static_cast<std::size_t>(row)];
}

std::int64_t RotorTable::minimum_bytes() const {
  return chain_.input_bytes + least_bytes(row(0, chain_.stages.size() - 1));
}

// The fastest move that fits `free_bytes`, judged with the bytes themselves: at most as slow as the
// table says. Where it says impossible for every move that fits, the move that needs least.
RotorTable::Move RotorTable::best_move(std::size_t first, std::size_t last,
                                       std::int64_t free_bytes) const {
  Move best;
  double best_us = kImpossible;
  Move frugal;
  std::int64_t frugal_bytes = kTooMuch;
  for_each_move(first, last, [&](const Move& move) {
    const std::int64_t bytes = std::max(
        {move.need_bytes, least_bytes(move.later) + move.shift_bytes, least_bytes(move.earlier)});
    if (bytes > free_bytes) {
      return;
    }
    if (bytes < frugal_bytes) {
      frugal_bytes = bytes;
      frugal = move;
    }
    const double move_us = move.time_us + time_us(move.later, free_bytes - move.shift_bytes) +
                           time_us(move.earlier, free_bytes);
    if (move_us < best_us) {
      best_us = move_us;
      best = move;
    }
  });
  return best_us < kImpossible ? best : frugal;
}

// REQUIRES: the first state is live and held; free_bytes are at least the part's least.
void RotorTable::append(std::vector<Action>& actions, std::size_t first, std::size_t last,
                        std::int64_t free_bytes) const {
  const auto begin = static_cast<std::int64_t>(first);
  for (;;) {
    const Move move = best_move(first, last, free_bytes);
    if (move.split == 0) {
      actions.push_back(record(begin, 0, move.option));
      if (first < last) {
        append(actions, first + 1, last, free_bytes - move.shift_bytes);
      }
      actions.push_back(reverse(begin, 0));
      return;
    }
    actions.push_back(advance(begin, move.split));
    actions.push_back(snapshot(move.split));
    append(actions, static_cast<std::size_t>(move.split), last, free_bytes - move.shift_bytes);
    actions.push_back(discard(move.split));
    actions.push_back(restore(begin));
    last = static_cast<std::size_t>(move.split) - 1;
  }
}

std::optional<RotorPlan> RotorTable::plan(std::int64_t budget_bytes) const {
  require_at_most("RotorTable::plan", "budget_bytes", budget_bytes, largest_budget_bytes_);
  if (budget_bytes < minimum_bytes()) {
    return std::nullopt;
  }
  RotorPlan plan;
  plan.actions.push_back(snapshot(0));
  append(plan.actions, 0, chain_.stages.size() - 1, budget_bytes - chain_.input_bytes);
  plan.actions.push_back(discard(0));
  plan.usage = simulate_chain(chain_, plan.actions);
  return plan;
}

RotorAnswer plan_rotor(const Chain& chain, std::int64_t budget_bytes, std::int64_t resolution) {
  require_at_least("plan_rotor", "budget_bytes", budget_bytes, 0);
  const RotorTable table(chain, budget_bytes, resolution);
  return {.plan = table.plan(budget_bytes), .minimum_bytes = table.minimum_bytes()};
}

}  // namespace reprise::plan
