// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "reprise/plan/index.h"
#include "reprise/plan/rebuild.h"
#include "reprise/plan/search/block_rotor.h"

namespace reprise::plan {
namespace {

// Prices per byte of the options, as multiples of what forward costs per byte that it saves.
constexpr std::array<double, 6> kPrices = {0.03, 0.1, 0.3, 1, 3, 10};

class ChainMaker {
 public:
  ChainMaker(const Program& program, const Blocks& blocks)
      : program_(program), blocks_(blocks), marks_(program.values.size(), 0) {
    needed_.resize(index(blocks.count()));
    std::vector<bool> is_seen(program.values.size(), false);
    for (std::size_t use = 0; use < program.uses.size(); ++use) {
      for (const int value : program.uses[use].needs) {
        const Value& info = program.values[index(value)];
        if (!is_seen[index(value)] && program.is_counted(info)) {
          is_seen[index(value)] = true;
          needed_[index(blocks.of_use[use])].push_back(value);
        }
      }
    }
  }

  const std::vector<int>& needed(int block) const { return needed_[index(block)]; }

  std::int64_t bytes(const std::vector<int>& values) const {
    std::int64_t sum = 0;
    for (const int value : values) {
      sum += program_.values[index(value)].bytes;
    }
    return sum;
  }

  // What the recipes of `block` cost that `wanted` takes if `there` and all that earlier blocks
  // made is there.
  double cost_us(int block, const std::vector<int>& wanted, const std::vector<int>& there) {
    ++mark_;
    for (const int value : there) {
      marks_[index(value)] = mark_;
    }
    double cost = 0;
    std::vector<int> open = wanted;
    while (!open.empty()) {
      const int value = open.back();
      open.pop_back();
      if (marks_[index(value)] == mark_ || !is_rebuildable(program_, value)) {
        continue;
      }
      const int recipe = program_.values[index(value)].recipe;
      if (blocks_.of_recipe[index(recipe)] != block) {
        continue;
      }
      const Recipe& info = program_.recipes[index(recipe)];
      for (const int output : info.outputs) {
        marks_[index(output)] = mark_;
      }
      cost += info.cost_us;
      open.insert(open.end(), info.inputs.begin(), info.inputs.end());
    }
    return cost;
  }

  StageOption option(int block, const std::vector<int>& kept, const std::vector<int>& state_after) {
    std::vector<int> record = kept;
    record.insert(record.end(), state_after.begin(), state_after.end());
    std::sort(record.begin(), record.end());
    record.erase(std::unique(record.begin(), record.end()), record.end());
    StageOption option;
    option.forward_us = cost_us(block, record, {});
    option.backward_us = cost_us(block, needed(block), record);
    option.saved_bytes = bytes(record);
    // What is rebuilt comes and goes; half of it at once is a fair guess.
    option.backward_transient_bytes = (bytes(needed(block)) - bytes(kept)) / 2;
    return option;
  }

 private:
  const Program& program_;
  const Blocks& blocks_;
  std::vector<std::vector<int>> needed_;  // per block: what its uses are the first to need
  std::vector<std::int64_t> marks_;
  std::int64_t mark_ = 0;
};

}  // namespace

BlockChain make_block_chain(const Program& program, Blocks blocks, KeepCut& cut) {
  BlockChain result{.blocks = std::move(blocks), .chain = {}, .kept = {}};
  ChainMaker maker(program, result.blocks);
  const int count = result.blocks.count();
  result.chain.stages.resize(index(count));
  result.kept.resize(index(count));
  const auto state_after = [&](int block) {
    return block + 1 < count ? result.blocks.crossing[index(block)] : std::vector<int>{};
  };
  std::int64_t all_needed_bytes = 0;
  for (int block = 0; block < count; ++block) {
    Stage& stage = result.chain.stages[index(block)];
    stage.forward_us = maker.cost_us(block, state_after(block), {});
    stage.output_bytes = maker.bytes(state_after(block));
    all_needed_bytes += maker.bytes(maker.needed(block));
  }
  const auto add_option = [&](int block, std::vector<int> kept) {
    std::vector<std::vector<int>>& options = result.kept[index(block)];
    if (!options.empty() && options.back() == kept) {
      return;
    }
    result.chain.stages[index(block)].options.push_back(
        maker.option(block, kept, state_after(block)));
    options.push_back(std::move(kept));
  };
  for (int block = 0; block < count; ++block) {
    add_option(block, maker.needed(block));
  }
  const double price =
      program.forward_us / static_cast<double>(std::max<std::int64_t>(1, all_needed_bytes));
  for (const double factor : kPrices) {
    cut.choose(factor * price);
    for (int block = 0; block < count; ++block) {
      std::vector<int> kept = maker.needed(block);
      std::erase_if(kept, [&](int value) {
        return is_rebuildable(program, value) && cut.runs(program.values[index(value)].recipe);
      });
      add_option(block, std::move(kept));
    }
  }
  for (int block = 0; block < count; ++block) {
    std::vector<int> kept = maker.needed(block);
    std::erase_if(kept, [&](int value) { return is_rebuildable(program, value); });
    add_option(block, std::move(kept));
  }
  return result;
}

}  // namespace reprise::plan
