// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/keep_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reprise/plan/index.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

constexpr MaxFlow::Node kSource = 0;
constexpr MaxFlow::Node kSink = 1;

MaxFlow::Node value_node(int value) { return 2 + value; }

MaxFlow::Node recipe_node(const Program& program, int recipe) {
  return 2 + static_cast<MaxFlow::Node>(program.values.size()) + recipe;
}

// Sums of costs and the flow are rounded; a bound must not be above the truth by that.
constexpr double kRoundingShare = 1e-9;
constexpr int kMostPrices = 40;

}  // namespace

KeepCut::KeepCut(const Program& program, int use)
    : program_(program),
      flow_(static_cast<MaxFlow::Node>(2 + program.values.size() + program.recipes.size())),
      value_edges_(program.values.size(), -1) {
  const Use& first = program.uses[index(use)];
  fixed_bytes_ = first.background_bytes.running + program.resident_bytes;
  // 1: alive at the use without a choice; 2: entered into the network.
  std::vector<char> state(program.values.size(), 0);
  std::vector<char> entered(program.recipes.size(), 0);
  for (const int value : first.needs) {
    state[index(value)] = 1;
    fixed_bytes_ +=
        program.is_counted(program.values[index(value)]) ? program.values[index(value)].bytes : 0;
  }
  std::vector<int> open;
  const auto want = [&](int value) {
    const Value& info = program.values[index(value)];
    if (state[index(value)] == 0 && program.is_counted(info)) {
      state[index(value)] = 2;
      open.push_back(value);
    }
    return state[index(value)] == 2;
  };
  for (std::size_t later = index(use) + 1; later < program.uses.size(); ++later) {
    for (const int value : program.uses[later].needs) {
      const bool is_new = state[index(value)] == 0;
      if (want(value) && is_new) {
        flow_.add_edge(kSource, value_node(value), MaxFlow::kInfinite);
      }
    }
  }
  while (!open.empty()) {
    const int value = open.back();
    open.pop_back();
    const int recipe = program.values[index(value)].recipe;
    const bool has_choice = is_rebuildable(program, value);
    value_edges_[index(value)] =
        flow_.add_edge(value_node(value), has_choice ? recipe_node(program, recipe) : kSink, 0);
    if (!has_choice || entered[index(recipe)] != 0) {
      continue;
    }
    entered[index(recipe)] = 1;
    dearest_price_ += program.recipes[index(recipe)].cost_us;
    flow_.add_edge(recipe_node(program, recipe), kSink, program.recipes[index(recipe)].cost_us);
    for (const int input : program.recipes[index(recipe)].inputs) {
      if (want(input)) {
        flow_.add_edge(recipe_node(program, recipe), value_node(input), MaxFlow::kInfinite);
      }
    }
  }
}

KeepCut::Choice KeepCut::choose(double us_per_byte) {
  if (us_per_byte < last_price_) {
    flow_.clear_flow();
  }
  last_price_ = us_per_byte;
  for (std::size_t value = 0; value < value_edges_.size(); ++value) {
    if (value_edges_[value] >= 0) {
      flow_.set_capacity(value_edges_[value],
                         us_per_byte * static_cast<double>(program_.values[value].bytes));
    }
  }
  flow_.maximise(kSource, kSink);
  Choice choice{.us_per_byte = us_per_byte, .least_us = (1 - kRoundingShare) * flow_.flow()};
  for (std::size_t recipe = 0; recipe < program_.recipes.size(); ++recipe) {
    choice.cost_us += runs(static_cast<int>(recipe)) ? program_.recipes[recipe].cost_us : 0;
  }
  for (std::size_t value = 0; value < value_edges_.size(); ++value) {
    const auto id = static_cast<int>(value);
    if (value_edges_[value] >= 0 && flow_.is_source_side(value_node(id)) &&
        !(is_rebuildable(program_, id) && runs(program_.values[value].recipe))) {
      choice.kept_bytes += program_.values[value].bytes;
    }
  }
  return choice;
}

bool KeepCut::runs(int recipe) const { return flow_.is_source_side(recipe_node(program_, recipe)); }

namespace {

// Recompute time of every choice that keeps at most `allowed_bytes`.
double bound_of(const KeepCut::Choice& choice, double allowed_bytes) {
  return choice.least_us - (1 + kRoundingShare) * choice.us_per_byte * allowed_bytes;
}

// Bytes that every choice keeps. REQUIRES: none costs more than `all_us`; the price is above 0.
double least_kept_bytes(const KeepCut::Choice& choice, double all_us) {
  return std::ceil((choice.least_us - all_us) / choice.us_per_byte);
}

}  // namespace

// The maximum over prices of a concave, piecewise linear function: every choice is a line
// cost + price * (kept - allowed); where the two lines around the maximum cross is the next price.
PricedBound bound_at(KeepCut& cut, std::int64_t budget_bytes, const std::function<bool()>& go_on) {
  const auto allowed = static_cast<double>(budget_bytes - cut.fixed_bytes());
  if (allowed < 0) {
    return {.us = std::numeric_limits<double>::infinity()};
  }
  KeepCut::Choice free = cut.choose(0);
  const auto excess = [&](const KeepCut::Choice& choice) {
    return static_cast<double>(choice.kept_bytes) - allowed;
  };
  if (excess(free) <= 0) {
    return {};
  }
  // Twice, so that rounding does not take a whole byte.
  KeepCut::Choice dear = cut.choose(2 * cut.dearest_price());
  if (excess(dear) > 0) {
    return {.us = least_kept_bytes(dear, cut.dearest_price()) > allowed
                      ? std::numeric_limits<double>::infinity()
                      : std::max(0.0, bound_of(dear, allowed))};
  }
  PricedBound best;
  double best_value = 0;
  for (int i = 0; i < kMostPrices && (!go_on || go_on()); ++i) {
    const double price = (dear.cost_us - free.cost_us) / (excess(free) - excess(dear));
    const KeepCut::Choice choice = cut.choose(price);
    const double value = choice.cost_us + price * excess(choice);
    if (value > best_value) {
      best_value = value;
      best.us_per_byte = price;
    }
    best.us = std::max(best.us, bound_of(choice, allowed));
    const double line = free.cost_us + price * excess(free);
    if (value >= line - 1e-9 * std::max(1.0, line)) {
      break;
    }
    (excess(choice) > 0 ? free : dear) = choice;
  }
  return best;
}

}  // namespace reprise::plan
