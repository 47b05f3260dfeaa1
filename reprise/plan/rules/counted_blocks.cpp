// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/counted_blocks.h"

#include <cmath>
#include <utility>

#include "reprise/plan/rules/blocks.h"

namespace reprise::plan {
namespace {

// What the option says, or everything worth trying.
std::vector<std::int64_t> wanted_numbers(const PlanRequest& request, const std::string& option,
                                         std::size_t most) {
  if (const std::optional<std::int64_t> number = integer_option(request, option)) {
    return {*number};
  }
  return numbers_to_try(static_cast<std::int64_t>(most));
}

class EveryK : public BlockPlanner {
  std::vector<BlockCut> cuts(const Program& /*program*/, const std::vector<int>& order,
                             const PlanRequest& request) const override {
    std::vector<BlockCut> all;
    for (const std::int64_t k : wanted_numbers(request, "k", order.size())) {
      BlockCut cut{.ends = {}, .name = "every " + std::to_string(k) + " recipes"};
      for (const Segment& segment : every_k(static_cast<std::int64_t>(order.size()), k).segments) {
        cut.ends.push_back(static_cast<std::size_t>(segment.last));
      }
      all.push_back(std::move(cut));
    }
    return all;
  }
};

class SqrtN : public BlockPlanner {
  std::vector<BlockCut> cuts(const Program& /*program*/, const std::vector<int>& order,
                             const PlanRequest& /*request*/) const override {
    BlockCut cut{.ends = {}, .name = "square root of " + std::to_string(order.size())};
    for (const Segment& segment : sqrt_segments(static_cast<std::int64_t>(order.size())).segments) {
      cut.ends.push_back(static_cast<std::size_t>(segment.last));
    }
    return {cut};
  }
};

class Balanced : public BlockPlanner {
  std::vector<BlockCut> cuts(const Program& program, const std::vector<int>& order,
                             const PlanRequest& request) const override {
    std::vector<double> weights;
    weights.reserve(order.size());
    for (const int recipe : order) {
      weights.push_back(weight(program, program.recipes[static_cast<std::size_t>(recipe)]));
    }
    std::vector<BlockCut> all;
    for (const std::int64_t blocks : wanted_numbers(request, "blocks", order.size())) {
      BlockCut cut = cut_evenly(weights, static_cast<std::size_t>(blocks));
      cut.name = what();
      if (all.empty() || cut.ends != all.back().ends) {
        all.push_back(std::move(cut));
      }
    }
    return all;
  }

  virtual double weight(const Program& program, const Recipe& recipe) const = 0;
  virtual std::string what() const = 0;
};

class BalancedBytes : public Balanced {
  double weight(const Program& program, const Recipe& recipe) const override {
    double bytes = 0;
    for (const int output : recipe.outputs) {
      bytes += static_cast<double>(program.values[static_cast<std::size_t>(output)].bytes);
    }
    return bytes;
  }
  std::string what() const override { return "balanced by bytes"; }
};

class BalancedCost : public Balanced {
  double weight(const Program& /*program*/, const Recipe& recipe) const override {
    return recipe.cost_us;
  }
  std::string what() const override { return "balanced by cost"; }
};

PlannerOption blocks_option() {
  return {.name = "blocks",
          .help = "number of blocks",
          .kind = OptionKind::kInteger,
          .default_text = "the best of all sensible ones",
          .minimum = 1};
}

}  // namespace

PlannerRecord every_k_record() {
  return record_of<EveryK>("every_k", "keep what crosses every k-th recipe, rebuild the rest",
                           {{.name = "k",
                             .help = "recipes per block",
                             .kind = OptionKind::kInteger,
                             .default_text = "the best of all sensible ones",
                             .minimum = 1}});
}

PlannerRecord sqrt_n_record() {
  return record_of<SqrtN>("sqrt_n", "as many blocks as the square root of the number of recipes");
}

PlannerRecord balanced_bytes_record() {
  return record_of<BalancedBytes>("balanced_bytes", "blocks that make about equally many bytes",
                                  {blocks_option()});
}

PlannerRecord balanced_cost_record() {
  return record_of<BalancedCost>("balanced_cost", "blocks that take about equally long to rebuild",
                                 {blocks_option()});
}

}  // namespace reprise::plan
