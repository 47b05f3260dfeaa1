// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/largest_first.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/candidates.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

// What may be dropped, the largest first.
std::vector<int> droppable_values(const Program& program, std::int64_t keep_below_bytes) {
  std::vector<int> values;
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const bool is_large = program.values[i].bytes >= keep_below_bytes;
    if (is_large && is_rebuildable(program, static_cast<int>(i))) {
      values.push_back(static_cast<int>(i));
    }
  }
  std::stable_sort(values.begin(), values.end(), [&](int a, int b) {
    return program.values[static_cast<std::size_t>(a)].bytes >
           program.values[static_cast<std::size_t>(b)].bytes;
  });
  return values;
}

class LargestFirst : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    const std::vector<int> droppable =
        droppable_values(program, integer_option(request, "keep_below_bytes").value_or(0));
    Candidates candidates(program, request, 1 + static_cast<std::int64_t>(droppable.size()));
    std::vector<bool> stays(program.values.size(), true);
    std::size_t dropped = 0;
    bool goes_on = candidates.offer({});
    while (goes_on && !candidates.last_fits() && dropped < droppable.size()) {
      // A few more each time, so that a program of thousands of values is no matter.
      const std::size_t next = std::min(droppable.size(), dropped + 1 + dropped / 8);
      for (; dropped < next; ++dropped) {
        stays[static_cast<std::size_t>(droppable[dropped])] = false;
      }
      goes_on = candidates.offer(rebuild_lazily(program, stays));
      candidates.describe_last("the largest " + std::to_string(dropped) + " of " +
                               std::to_string(droppable.size()) + " values are rebuilt");
    }
    return candidates.answer();
  }
};

}  // namespace

PlannerRecord largest_first_record() {
  return record_of<LargestFirst>("largest_first",
                                 "drop the largest values first, until the step fits",
                                 {{.name = "keep_below_bytes",
                                   .help = "smaller values stay",
                                   .kind = OptionKind::kInteger,
                                   .default_text = "0",
                                   .maximum = 1e15}});
}

}  // namespace reprise::plan
