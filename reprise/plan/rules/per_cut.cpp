// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/per_cut.h"

#include <algorithm>
#include <utility>

#include "reprise/plan/rules/blocks.h"

namespace reprise::plan {
namespace {

// Bytes made until the end of each recipe in forward order.
std::vector<double> made_bytes(const Program& program, const std::vector<int>& order) {
  std::vector<double> sums;
  double sum = 0;
  for (const int recipe : order) {
    for (const int output : program.recipes[static_cast<std::size_t>(recipe)].outputs) {
      sum += static_cast<double>(program.values[static_cast<std::size_t>(output)].bytes);
    }
    sums.push_back(sum);
  }
  return sums;
}

// Each share of the bytes has a window of its own, half a block to both sides.
BlockCut cut_near_shares(const std::vector<std::size_t>& places,
                         const std::vector<std::int64_t>& crossing, const std::vector<double>& made,
                         std::int64_t blocks) {
  BlockCut cut{.ends = {}, .name = "narrow places"};
  const double share = made.back() / static_cast<double>(blocks);
  std::size_t next = 0;
  for (std::int64_t i = 1; i < blocks; ++i) {
    const double window_end = share * (static_cast<double>(i) + 0.5);
    std::size_t best = places.size();
    while (next < places.size() && made[places[next] - 1] < window_end) {
      const bool is_in_window = made[places[next] - 1] >= window_end - share;
      if (is_in_window &&
          (best == places.size() || crossing[places[next] - 1] < crossing[places[best] - 1])) {
        best = next;
      }
      ++next;
    }
    if (best != places.size()) {
      cut.ends.push_back(places[best]);
    }
  }
  cut.ends.push_back(made.size());
  return cut;
}

class PerCut : public BlockPlanner {
  std::vector<BlockCut> cuts(const Program& program, const std::vector<int>& order,
                             const PlanRequest& request) const override {
    const std::vector<std::int64_t> crossing = crossing_bytes(program, order);
    const std::vector<std::size_t> places = narrow_places(crossing);
    const std::vector<double> made = made_bytes(program, order);
    if (const std::optional<std::int64_t> blocks = integer_option(request, "blocks")) {
      return {cut_near_shares(places, crossing, made, *blocks)};
    }
    std::vector<BlockCut> all;
    for (const std::int64_t blocks : numbers_to_try(static_cast<std::int64_t>(places.size()) + 1)) {
      BlockCut cut = cut_near_shares(places, crossing, made, blocks);
      if (all.empty() || cut.ends != all.back().ends) {
        all.push_back(std::move(cut));
      }
    }
    BlockCut every_place{.ends = places, .name = "all narrow places"};
    every_place.ends.push_back(order.size());
    all.push_back(std::move(every_place));
    return all;
  }
};

}  // namespace

std::vector<std::int64_t> crossing_bytes(const Program& program, const std::vector<int>& order) {
  std::vector<std::size_t> position(program.recipes.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    position[static_cast<std::size_t>(order[i])] = i;
  }
  std::vector<std::size_t> last_reader(program.values.size(), 0);
  for (std::size_t i = 0; i < program.recipes.size(); ++i) {
    for (const int input : program.recipes[i].inputs) {
      std::size_t& last = last_reader[static_cast<std::size_t>(input)];
      last = std::max(last, position[i]);
    }
  }
  std::vector<std::int64_t> step(order.size() + 1, 0);
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const Value& value = program.values[i];
    if (value.recipe == kNoRecipe || program.is_held(value)) {
      continue;
    }
    const std::size_t made = position[static_cast<std::size_t>(value.recipe)];
    if (last_reader[i] > made) {
      step[made] += value.bytes;
      step[last_reader[i]] -= value.bytes;
    }
  }
  std::vector<std::int64_t> crossing;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    crossing.push_back(bytes += step[i]);
  }
  return crossing;
}

std::vector<std::size_t> narrow_places(const std::vector<std::int64_t>& crossing) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i + 1 < crossing.size(); ++i) {
    if (crossing[i] <= crossing[i - 1] && crossing[i] <= crossing[i + 1]) {
      ends.push_back(i + 1);
    }
  }
  return ends;
}

PlannerRecord per_cut_record() {
  return record_of<PerCut>("per_cut", "blocks between the narrowest places of the forward pass",
                           {{.name = "blocks",
                             .help = "number of blocks",
                             .kind = OptionKind::kInteger,
                             .default_text = "the best of all sensible ones",
                             .minimum = 1}});
}

}  // namespace reprise::plan
