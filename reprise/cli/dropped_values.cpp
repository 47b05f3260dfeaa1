// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/dropped_values.h"

#include <algorithm>
#include <map>
#include <utility>

#include "reprise/cli/printable_text.h"
#include "reprise/cli/program_text.h"

namespace reprise::cli {
namespace {

class Groups {
 public:
  explicit Groups(const plan::Program& program)
      : program_(program),
        is_recomputed_(program.values.size()),
        is_dropped_(program.values.size()) {}

  void replay(int id) {
    const plan::Recipe& recipe = program_.recipes[static_cast<std::size_t>(id)];
    DroppedGroup& mine =
        group(general_label(printable_line(recipe.label)), printable_line(recipe.name));
    ++mine.replays;
    mine.recompute_us += recipe.cost_us;
    for (const int output : recipe.outputs) {
      is_recomputed_[static_cast<std::size_t>(output)] = 1;
    }
  }

  void read(int id) {
    const auto at = static_cast<std::size_t>(id);
    const plan::Value& value = program_.values[at];
    if (is_recomputed_[at] == 0 || is_dropped_[at] != 0 || program_.is_held(value)) {
      return;
    }
    is_dropped_[at] = 1;
    const plan::Recipe& recipe = program_.recipes[static_cast<std::size_t>(value.recipe)];
    DroppedGroup& mine =
        group(general_label(printable_line(recipe.label)), printable_line(recipe.name));
    ++mine.values;
    mine.bytes += value.bytes;
  }

  std::vector<DroppedGroup> sorted() const {
    std::vector<DroppedGroup> groups;
    for (const auto& [key, one] : groups_) {
      groups.push_back(one);
    }
    std::stable_sort(
        groups.begin(), groups.end(), [](const DroppedGroup& a, const DroppedGroup& b) {
          return std::pair{a.bytes, a.recompute_us} > std::pair{b.bytes, b.recompute_us};
        });
    return groups;
  }

 private:
  DroppedGroup& group(const std::string& label, const std::string& op) {
    DroppedGroup& mine = groups_[{label, op}];
    mine.label = label;
    mine.op = op;
    return mine;
  }

  const plan::Program& program_;
  std::vector<char> is_recomputed_;  // per value: its latest instance
  std::vector<char> is_dropped_;
  std::map<std::pair<std::string, std::string>, DroppedGroup> groups_;
};

}  // namespace

std::vector<DroppedGroup> dropped_values(const plan::Program& program,
                                         const plan::Schedule& schedule) {
  Groups groups(program);
  auto replays = schedule.replays.begin();
  for (std::size_t use = 0; use < program.uses.size(); ++use) {
    if (replays != schedule.replays.end() && replays->before_use == static_cast<int>(use)) {
      for (const int recipe : replays->recipes) {
        groups.replay(recipe);
      }
      ++replays;
    }
    for (const int value : program.uses[use].needs) {
      groups.read(value);
    }
  }
  return groups.sorted();
}

DroppedGroup total_of(const std::vector<DroppedGroup>& groups) {
  DroppedGroup total;
  for (const DroppedGroup& group : groups) {
    total.values += group.values;
    total.bytes += group.bytes;
    total.replays += group.replays;
    total.recompute_us += group.recompute_us;
  }
  return total;
}

}  // namespace reprise::cli
