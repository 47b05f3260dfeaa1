// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/per_label.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "reprise/plan/rules/blocks.h"

namespace reprise::plan {
namespace {

// The first `depth` parts of a label.
std::string_view prefix(std::string_view label, std::int64_t depth) {
  std::size_t end = 0;
  for (std::int64_t part = 0; part < depth && end != std::string_view::npos; ++part) {
    end = label.find('.', part == 0 ? 0 : end + 1);
  }
  return label.substr(0, end);
}

std::int64_t deepest(const Program& program) {
  std::int64_t depth = 0;
  for (const Recipe& recipe : program.recipes) {
    if (!recipe.label.empty()) {
      depth = std::max<std::int64_t>(depth,
                                     1 + std::count(recipe.label.begin(), recipe.label.end(), '.'));
    }
  }
  return depth;
}

BlockCut cut_at_depth(const Program& program, const std::vector<int>& order, std::int64_t depth) {
  BlockCut cut{.ends = {}, .name = "labels to depth " + std::to_string(depth)};
  std::string_view current;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Recipe& recipe = program.recipes[static_cast<std::size_t>(order[i])];
    const std::string_view here = prefix(recipe.label, depth);
    if (here.empty() || here == current) {
      continue;
    }
    if (!current.empty()) {
      cut.ends.push_back(i);
    }
    current = here;
  }
  cut.ends.push_back(order.size());
  return cut;
}

class PerLabel : public BlockPlanner {
  std::vector<BlockCut> cuts(const Program& program, const std::vector<int>& order,
                             const PlanRequest& request) const override {
    if (const std::optional<std::int64_t> depth = integer_option(request, "depth")) {
      return {cut_at_depth(program, order, *depth)};
    }
    std::vector<BlockCut> all;
    for (std::int64_t depth = 1; depth <= deepest(program); ++depth) {
      all.push_back(cut_at_depth(program, order, depth));
    }
    return all;
  }
};

}  // namespace

PlannerRecord per_label_record() {
  PlannerRecord record =
      record_of<PerLabel>("per_label", "one block per labelled part of the model",
                          {{.name = "depth",
                            .help = "parts of a label that name a block",
                            .kind = OptionKind::kInteger,
                            .default_text = "the best of all that occur",
                            .minimum = 1,
                            .maximum = 100}});
  record.applies = [](const Program& program) -> std::optional<std::string> {
    return deepest(program) > 0
               ? std::nullopt
               : std::optional<std::string>("none of its recipes has a label; try per_cut");
  };
  return record;
}

}  // namespace reprise::plan
