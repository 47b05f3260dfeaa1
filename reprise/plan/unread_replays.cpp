// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/unread_replays.h"

#include <algorithm>
#include <cstddef>

namespace reprise::plan {

std::vector<Replays> without_unread(const Program& program, std::vector<Replays> replays) {
  // Backwards, because whether a replay is read depends on which later ones stay.
  std::vector<bool> is_wanted(program.values.size(), false);
  const auto set_all = [&](const std::vector<int>& values, bool wanted) {
    for (const int value : values) {
      is_wanted[static_cast<std::size_t>(value)] = wanted;
    }
  };
  std::size_t next = replays.size();
  for (std::size_t use = program.uses.size(); use-- > 0;) {
    set_all(program.uses[use].needs, true);
    if (next == 0 || replays[next - 1].before_use != static_cast<int>(use)) {
      continue;
    }
    --next;
    std::vector<int> read;  // the last one first
    for (std::size_t i = replays[next].recipes.size(); i-- > 0;) {
      const int id = replays[next].recipes[i];
      const Recipe& recipe = program.recipes[static_cast<std::size_t>(id)];
      if (std::any_of(recipe.outputs.begin(), recipe.outputs.end(),
                      [&](int value) { return is_wanted[static_cast<std::size_t>(value)]; })) {
        set_all(recipe.outputs, false);
        set_all(recipe.inputs, true);
        read.push_back(id);
      }
    }
    replays[next].recipes.assign(read.rbegin(), read.rend());
  }
  std::erase_if(replays, [](const Replays& one) { return one.recipes.empty(); });
  return replays;
}

}  // namespace reprise::plan
