// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "reprise/plan/candidates.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {

std::vector<int> forward_order(const Program& program) {
  std::vector<std::int64_t> made_at(program.recipes.size(), 0);
  for (std::size_t i = 0; i < program.recipes.size(); ++i) {
    for (const int output : program.recipes[i].outputs) {
      made_at[i] = std::max(made_at[i], program.values[static_cast<std::size_t>(output)].made_at);
    }
  }
  std::vector<int> order(program.recipes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return made_at[static_cast<std::size_t>(a)] < made_at[static_cast<std::size_t>(b)];
  });
  return order;
}

std::vector<bool> values_that_stay(const Program& program, const std::vector<int>& order,
                                   const BlockCut& cut, LastSegment last) {
  std::vector<int> block_of_recipe(program.recipes.size(), 0);
  int block = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    while (i >= cut.ends[static_cast<std::size_t>(block)]) {
      ++block;
    }
    block_of_recipe[static_cast<std::size_t>(order[i])] = block;
  }
  const int last_block = block;

  std::vector<bool> stays(program.values.size(), false);
  const auto block_of = [&](int value) {
    const int recipe = program.values[static_cast<std::size_t>(value)].recipe;
    return recipe == kNoRecipe ? -1 : block_of_recipe[static_cast<std::size_t>(recipe)];
  };
  const auto read_from = [&](const std::vector<int>& values, int reader_block) {
    for (const int value : values) {
      if (block_of(value) != reader_block) {
        stays[static_cast<std::size_t>(value)] = true;
      }
    }
  };
  for (std::size_t i = 0; i < program.recipes.size(); ++i) {
    read_from(program.recipes[i].inputs, block_of_recipe[i]);
  }
  for (const Use& use : program.uses) {
    int latest = -1;
    for (const int value : use.needs) {
      latest = std::max(latest, block_of(value));
    }
    read_from(use.needs, latest);
  }
  if (last == LastSegment::kPlain) {
    for (std::size_t i = 0; i < program.values.size(); ++i) {
      if (block_of(static_cast<int>(i)) == last_block) {
        stays[i] = true;
      }
    }
  }
  return stays;
}

BlockCut cut_evenly(const std::vector<double>& weights, std::size_t blocks) {
  BlockCut cut;
  const double block_weight = std::accumulate(weights.begin(), weights.end(), 0.0) /
                              static_cast<double>(std::max<std::size_t>(1, blocks));
  double sum = 0;
  double share = block_weight;
  for (std::size_t i = 0; i + 1 < weights.size() && block_weight > 0; ++i) {
    sum += weights[i];
    // A cut after this recipe if the next one would lead further past the share.
    if (share - sum <= sum + weights[i + 1] - share) {
      cut.ends.push_back(i + 1);
      // A large recipe may have passed several shares.
      share = std::max(share + block_weight, block_weight * (std::floor(sum / block_weight) + 1));
    }
  }
  while (cut.ends.size() >= blocks) {  // the sum is rounded: the last share may seem to be passed
    cut.ends.pop_back();
  }
  cut.ends.push_back(weights.size());
  return cut;
}

std::vector<std::int64_t> numbers_to_try(std::int64_t most) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 1; number <= most; number += 1 + number / 6) {
    numbers.push_back(number);
  }
  return numbers;
}

std::optional<PlannerAnswer> BlockPlanner::find(const Program& program,
                                                const PlanRequest& request) const {
  const std::vector<int> order = forward_order(program);
  if (order.empty()) {
    Candidates only(program, request, 1);
    only.offer({});
    return only.answer();
  }
  const std::vector<BlockCut> all = cuts(program, order, request);
  Candidates candidates(program, request, 2 * static_cast<std::int64_t>(all.size()));
  bool goes_on = true;
  for (std::size_t i = 0; i < all.size() && goes_on; ++i) {
    for (const LastSegment last : {LastSegment::kPlain, LastSegment::kRegion}) {
      if (goes_on) {
        goes_on = candidates.offer(
            rebuild_lazily(program, values_that_stay(program, order, all[i], last)));
        candidates.describe_last(
            all[i].name + ": " + std::to_string(all[i].ends.size()) +
            (all[i].ends.size() == 1 ? " block" : " blocks") +
            (last == LastSegment::kPlain ? ", the last one plain" : ", the last one rebuilt too"));
      }
    }
  }
  return candidates.answer();
}

}  // namespace reprise::plan
