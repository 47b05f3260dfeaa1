// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/chen.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "reprise/plan/checks.h"
#include "reprise/plan/units.h"

namespace reprise::plan {
namespace {

void require_recursion(const char* place, std::int64_t steps, std::int64_t kept) {
  require_at_least(place, "steps", steps, 1);
  require_at_least(place, "kept", kept, 1);
  require_at_most(place, "kept", kept, std::numeric_limits<std::int64_t>::max() - 1);
}

// Reverses [begin, end); state `begin` is live and held.
void append_part(std::vector<Action>& actions, std::int64_t begin, std::int64_t end,
                 std::int64_t kept) {
  const std::int64_t size = ceil_div(end - begin, kept + 1);
  std::vector<std::int64_t> begins = {begin};
  while (end - begins.back() > size) {
    const std::int64_t next = begins.back() + size;
    actions.push_back(advance(begins.back(), next));
    actions.push_back(snapshot(next));
    begins.push_back(next);
  }
  bool is_live = true;
  for (; !begins.empty(); end = begins.back(), begins.pop_back()) {
    if (!is_live) {
      actions.push_back(restore(begins.back()));
    }
    is_live = false;
    if (end - begins.back() == 1) {
      actions.push_back(discard(begins.back()));
      actions.push_back(record(begins.back()));
      actions.push_back(reverse(begins.back()));
    } else {
      append_part(actions, begins.back(), end, kept);
    }
  }
}

void require_bytes(const char* place, const std::vector<std::int64_t>& layer_bytes) {
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t bytes : layer_bytes) {
    require_at_least(place, "layer_bytes", bytes, 0);
    require_at_most(place, "layer_bytes", bytes, room);
    room -= bytes;
  }
}

}  // namespace

ChenRecursion chen_recursion(std::int64_t steps, std::int64_t kept) {
  require_recursion("chen_recursion", steps, kept);
  ChenRecursion result;
  for (; steps > 1; steps = ceil_div(steps, kept + 1)) {
    result.memory += kept;
    ++result.extra_passes;
  }
  return result;
}

std::vector<Action> chen_recursive_actions(std::int64_t steps, std::int64_t kept) {
  require_recursion("chen_recursive_actions", steps, kept);
  std::vector<Action> actions = {snapshot(0)};
  if (steps > 1) {
    append_part(actions, 0, steps, kept);
  } else {
    actions.insert(actions.end(), {discard(0), record(0), reverse(0)});
  }
  return actions;
}

ChenCut chen_cut(const std::vector<std::int64_t>& layer_bytes, std::int64_t segment_bytes) {
  require_bytes("chen_cut", layer_bytes);
  ChenCut cut;
  std::int64_t segment = 0;
  for (std::size_t i = 0; i < layer_bytes.size(); ++i) {
    segment += layer_bytes[i];
    cut.largest_segment_bytes = std::max(cut.largest_segment_bytes, segment);
    if (segment > segment_bytes) {
      cut.kept.push_back(static_cast<std::int64_t>(i));
      cut.kept_bytes += layer_bytes[i];
      segment = 0;
    }
  }
  return cut;
}

ChenCut best_chen_cut(const std::vector<std::int64_t>& layer_bytes, std::int64_t candidates) {
  require_at_least("best_chen_cut", "candidates", candidates, 1);
  require_bytes("best_chen_cut", layer_bytes);
  if (layer_bytes.empty()) {
    return {};
  }
  const auto total =
      static_cast<double>(std::accumulate(layer_bytes.begin(), layer_bytes.end(), std::int64_t{0}));
  const auto needs = [](const ChenCut& cut) {
    return static_cast<double>(cut.kept_bytes) + static_cast<double>(cut.largest_segment_bytes);
  };
  ChenCut best = chen_cut(
      layer_bytes,
      static_cast<std::int64_t>(total / std::sqrt(static_cast<double>(layer_bytes.size()))));
  const double middle = std::sqrt(static_cast<double>(best.kept_bytes) *
                                  static_cast<double>(best.largest_segment_bytes));
  for (std::int64_t i = 0; i < candidates; ++i) {
    const double position =
        candidates == 1 ? 0 : static_cast<double>(i) / static_cast<double>(candidates - 1) - 0.5;
    ChenCut cut = chen_cut(layer_bytes, static_cast<std::int64_t>(middle * std::exp2(position)));
    if (needs(cut) < needs(best)) {
      best = std::move(cut);
    }
  }
  return best;
}

}  // namespace reprise::plan
