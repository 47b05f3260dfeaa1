// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/lazy_rebuild.h"

#include <cstddef>

namespace reprise::plan {
namespace {

std::size_t index(int id) { return static_cast<std::size_t>(id); }

class LazyRebuild {
 public:
  LazyRebuild(const Program& program, const std::vector<bool>& is_dropped)
      : program_(program), is_waiting_(is_dropped) {
    for (std::size_t recipe = 0; recipe < program.recipes.size(); ++recipe) {
      is_waiting_[recipe] = is_waiting_[recipe] && program.recipes[recipe].replayable;
    }
  }

  // Appends what `values` wait for. An own stack: chains of a recurrent network are long.
  void require(const std::vector<int>& values, std::vector<int>& replays) {
    enter_all(values);
    while (!open_.empty()) {
      Open& top = open_.back();
      const std::vector<int>& inputs = program_.recipes[index(top.recipe)].inputs;
      if (top.next_input < inputs.size()) {
        enter(inputs[top.next_input++]);
      } else {
        replays.push_back(top.recipe);
        open_.pop_back();
        if (open_.empty()) {
          enter_next();
        }
      }
    }
  }

 private:
  struct Open {
    int recipe;
    std::size_t next_input;
  };

  void enter_all(const std::vector<int>& values) {
    wanted_ = &values;
    next_wanted_ = 0;
    enter_next();
  }
  void enter_next() {
    while (open_.empty() && next_wanted_ < wanted_->size()) {
      enter((*wanted_)[next_wanted_++]);
    }
  }
  void enter(int value) {
    const Value& info = program_.values[index(value)];
    if (info.recipe != kNoRecipe && is_waiting_[index(info.recipe)] && !program_.is_held(info)) {
      is_waiting_[index(info.recipe)] = false;
      open_.push_back({info.recipe, 0});
    }
  }

  const Program& program_;
  std::vector<bool> is_waiting_;
  std::vector<Open> open_;
  const std::vector<int>* wanted_ = nullptr;
  std::size_t next_wanted_ = 0;
};

}  // namespace

Schedule rebuild_lazily(const Program& program, const std::vector<bool>& is_dropped) {
  LazyRebuild rebuild(program, is_dropped);
  Schedule schedule;
  for (std::size_t use = 0; use < program.uses.size(); ++use) {
    Replays replays{.before_use = static_cast<int>(use), .recipes = {}};
    rebuild.require(program.uses[use].needs, replays.recipes);
    if (!replays.recipes.empty()) {
      schedule.replays.push_back(std::move(replays));
    }
  }
  return schedule;
}

}  // namespace reprise::plan
