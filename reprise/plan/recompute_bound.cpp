// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/recompute_bound.h"

#include <algorithm>
#include <limits>

#include "reprise/plan/peak_floor.h"
#include "reprise/plan/search/keep_cut.h"

namespace reprise::plan {

double recompute_bound_us(const Program& program, std::int64_t budget_bytes,
                          const BoundOptions& options) {
  if (budget_bytes < (options.floor_bytes ? *options.floor_bytes : peak_floor(program).bytes)) {
    return std::numeric_limits<double>::infinity();
  }
  const auto uses = static_cast<int>(program.uses.size());
  int most_uses = options.most_uses;
  if (most_uses <= 0) {
    const auto size = static_cast<int>(program.values.size() + program.recipes.size());
    most_uses = std::clamp(20'000 / std::max(1, size), 1, 24);
  }
  double best = 0;
  const int tried = std::min(uses, most_uses);
  for (int i = 0; i < tried && (!options.go_on || options.go_on()); ++i) {
    // The first half of backward holds most; the first use always counts.
    KeepCut cut(program, static_cast<int>(std::int64_t{i} * uses * 3 / 4 / tried));
    best = std::max(best, bound_at(cut, budget_bytes, options.go_on).us);
  }
  return best;
}

}  // namespace reprise::plan
