// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rebuild.h"

#include <cstdint>
#include <utility>

namespace reprise::plan {
namespace {

class LazyRebuild {
 public:
  LazyRebuild(const Program& program, std::vector<bool> stays)
      : program_(program), is_there_(std::move(stays)), is_planned_(program.recipes.size(), false) {
    for (std::size_t i = 0; i < program.values.size(); ++i) {
      const Value& value = program.values[i];
      if (program.is_held(value) || !is_rebuildable(program, static_cast<int>(i))) {
        is_there_[i] = true;
      }
    }
  }

  std::vector<Replays> run() {
    std::vector<Replays> replays;
    for (std::size_t use = 0; use < program_.uses.size(); ++use) {
      order_.clear();
      for (const int value : program_.uses[use].needs) {
        require(value);
      }
      if (!order_.empty()) {
        replays.push_back({.before_use = static_cast<int>(use), .recipes = order_});
      }
    }
    return replays;
  }

 private:
  struct Visit {
    int recipe = 0;
    std::size_t next_input = 0;
  };

  // Appends to `order_` what must run so that `value` is there. A stack of its own, because chains
  // of thousands of recipes are common.
  void require(int value) {
    push(value);
    while (!stack_.empty()) {
      const Recipe& recipe = program_.recipes[static_cast<std::size_t>(stack_.back().recipe)];
      if (stack_.back().next_input < recipe.inputs.size()) {
        push(recipe.inputs[stack_.back().next_input++]);
        continue;
      }
      order_.push_back(stack_.back().recipe);
      stack_.pop_back();
    }
  }

  void push(int value) {
    if (is_there_[static_cast<std::size_t>(value)]) {
      return;
    }
    const int recipe = program_.values[static_cast<std::size_t>(value)].recipe;
    if (!is_planned_[static_cast<std::size_t>(recipe)]) {
      is_planned_[static_cast<std::size_t>(recipe)] = true;
      stack_.push_back({.recipe = recipe});
    }
  }

  const Program& program_;
  std::vector<bool> is_there_;    // per value
  std::vector<bool> is_planned_;  // per recipe; one that is on the stack runs before its readers
  std::vector<Visit> stack_;
  std::vector<int> order_;
};

}  // namespace

bool is_rebuildable(const Program& program, int value) {
  const int recipe = program.values[static_cast<std::size_t>(value)].recipe;
  return recipe != kNoRecipe && program.recipes[static_cast<std::size_t>(recipe)].replayable;
}

std::vector<Replays> rebuild_lazily(const Program& program, const std::vector<bool>& stays) {
  return LazyRebuild(program, stays).run();
}

}  // namespace reprise::plan
