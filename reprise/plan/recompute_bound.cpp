// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/recompute_bound.h"

#include <algorithm>
#include <limits>

#include "reprise/plan/search/keep_cut.h"

namespace reprise::plan {
namespace {

// Sums of costs and the cut are rounded; a bound must not be above the truth by that.
constexpr double kRoundingShare = 1e-9;
constexpr int kMostPrices = 40;

// The maximum over prices of a concave, piecewise linear function: every choice is a line
// cost + price * (kept - allowed); where the two lines around the maximum cross is the next price.
double bound_at(KeepCut& cut, std::int64_t budget_bytes) {
  const auto allowed = static_cast<double>(budget_bytes - cut.fixed_bytes());
  if (allowed < 0) {
    return std::numeric_limits<double>::infinity();
  }
  KeepCut::Choice free = cut.choose(0);
  const auto excess = [&](const KeepCut::Choice& choice) {
    return static_cast<double>(choice.kept_bytes) - allowed;
  };
  if (excess(free) <= 0) {
    return 0;
  }
  // A price at which bytes cost more than everything: the least that can be kept.
  KeepCut::Choice dear = cut.choose(1e6);
  if (excess(dear) > 0) {
    return std::numeric_limits<double>::infinity();
  }
  double best = 0;
  for (int i = 0; i < kMostPrices; ++i) {
    const double price = (dear.cost_us - free.cost_us) / (excess(free) - excess(dear));
    const KeepCut::Choice choice = cut.choose(price);
    const double value = choice.cost_us + price * excess(choice);
    best = std::max(best, value);
    const double line = free.cost_us + price * excess(free);
    if (value >= line - 1e-9 * std::max(1.0, line)) {
      break;
    }
    (excess(choice) > 0 ? free : dear) = choice;
  }
  return best * (1 - kRoundingShare);
}

}  // namespace

double recompute_bound_us(const Program& program, std::int64_t budget_bytes, int most_uses) {
  const auto uses = static_cast<int>(program.uses.size());
  if (most_uses <= 0) {
    const auto size = static_cast<int>(program.values.size() + program.recipes.size());
    most_uses = std::clamp(20'000 / std::max(1, size), 1, 24);
  }
  double best = 0;
  const int tried = std::min(uses, most_uses);
  for (int i = 0; i < tried; ++i) {
    // The first half of backward holds most; the first use always counts.
    KeepCut cut(program, static_cast<int>(std::int64_t{i} * uses * 3 / 4 / tried));
    best = std::max(best, bound_at(cut, budget_bytes));
  }
  return best;
}

}  // namespace reprise::plan
