// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/blocks.h"

#include <algorithm>

#include "reprise/plan/index.h"

namespace reprise::plan {
namespace {

// Per recipe: the op that makes its last output.
std::vector<std::int64_t> last_ops(const Program& program) {
  std::vector<std::int64_t> ops(program.recipes.size(), 0);
  for (std::size_t recipe = 0; recipe < ops.size(); ++recipe) {
    for (const int output : program.recipes[recipe].outputs) {
      ops[recipe] = std::max(ops[recipe], program.values[index(output)].made_at);
    }
  }
  return ops;
}

// Per value: the last op whose recipe reads it; -1: none does.
std::vector<std::int64_t> last_readings(const Program& program,
                                        const std::vector<std::int64_t>& recipe_ops) {
  std::vector<std::int64_t> last(program.values.size(), -1);
  for (std::size_t recipe = 0; recipe < program.recipes.size(); ++recipe) {
    for (const int input : program.recipes[recipe].inputs) {
      last[index(input)] = std::max(last[index(input)], recipe_ops[recipe]);
    }
  }
  return last;
}

// Per op: bytes made up to it that later recipes read.
std::vector<std::int64_t> widths(const Program& program, const std::vector<std::int64_t>& last) {
  std::vector<std::int64_t> width(index(program.ops()) + 1, 0);
  for (std::size_t value = 0; value < program.values.size(); ++value) {
    const Value& info = program.values[value];
    if (program.is_counted(info) && last[value] > info.made_at) {
      width[index(info.made_at)] += info.bytes;
      width[index(last[value])] -= info.bytes;
    }
  }
  for (std::size_t op = 1; op < width.size(); ++op) {
    width[op] += width[op - 1];
  }
  return width;
}

// Per op: bytes made up to it that backward needs.
std::vector<std::int64_t> saved_so_far(const Program& program) {
  std::vector<bool> is_needed(program.values.size(), false);
  for (const Use& use : program.uses) {
    for (const int value : use.needs) {
      is_needed[index(value)] = true;
    }
  }
  std::vector<std::int64_t> saved(index(program.ops()) + 1, 0);
  for (std::size_t value = 0; value < program.values.size(); ++value) {
    if (is_needed[value] && program.is_counted(program.values[value])) {
      saved[index(program.values[value].made_at)] += program.values[value].bytes;
    }
  }
  for (std::size_t op = 1; op < saved.size(); ++op) {
    saved[op] += saved[op - 1];
  }
  return saved;
}

std::vector<std::int64_t> find_ends(const Program& program, int count,
                                    const std::vector<std::int64_t>& width) {
  const std::vector<std::int64_t> saved = saved_so_far(program);
  const std::int64_t ops = program.ops();
  std::vector<std::int64_t> ends;
  for (int cut = 1; cut < count && ops > 0; ++cut) {
    // The narrowest op, of equals the last, where the bytes so far are nearest to this cut's share.
    const double share = static_cast<double>(saved.back()) / count;
    const auto place = [&](double cuts) {
      return std::lower_bound(saved.begin(), saved.begin() + ops,
                              static_cast<std::int64_t>(cuts * share)) -
             saved.begin();
    };
    std::int64_t best = -1;
    for (std::int64_t op = place(cut - 0.5); op < std::min(ops, place(cut + 0.5)); ++op) {
      if (best < 0 || width[index(op)] <= width[index(best)]) {
        best = op;
      }
    }
    if (best >= 0 && best < ops - 1 && (ends.empty() || best > ends.back())) {
      ends.push_back(best);
    }
  }
  ends.push_back(std::max<std::int64_t>(0, ops - 1));
  return ends;
}

}  // namespace

Blocks find_blocks(const Program& program, int count) {
  const std::vector<std::int64_t> recipe_ops = last_ops(program);
  const std::vector<std::int64_t> last = last_readings(program, recipe_ops);
  Blocks blocks;
  blocks.ends = find_ends(program, count, widths(program, last));
  const auto block_of = [&](std::int64_t op) {
    return static_cast<int>(std::lower_bound(blocks.ends.begin(), blocks.ends.end(), op) -
                            blocks.ends.begin());
  };
  for (const std::int64_t op : recipe_ops) {
    blocks.of_recipe.push_back(std::min(block_of(op), blocks.count() - 1));
  }
  int block = blocks.count() - 1;
  for (const Use& use : program.uses) {
    int latest = -1;
    for (const int value : use.needs) {
      const Value& info = program.values[index(value)];
      latest = std::max(latest, info.external ? -1 : block_of(info.made_at));
    }
    block = latest < 0 ? block : std::min(block, latest);
    blocks.of_use.push_back(block);
  }
  blocks.crossing.resize(index(blocks.count() - 1));
  for (std::size_t value = 0; value < program.values.size(); ++value) {
    const Value& info = program.values[value];
    if (program.is_counted(info)) {
      for (int b = block_of(info.made_at);
           b < blocks.count() - 1 && last[value] > blocks.ends[index(b)]; ++b) {
        blocks.crossing[index(b)].push_back(static_cast<int>(value));
      }
    }
  }
  return blocks;
}

std::vector<bool> boundaries_stay(const Program& program, const Blocks& blocks) {
  std::vector<bool> stays(program.values.size(), false);
  for (const std::vector<int>& values : blocks.crossing) {
    for (const int value : values) {
      stays[index(value)] = true;
    }
  }
  return stays;
}

}  // namespace reprise::plan
