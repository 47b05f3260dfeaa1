// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/execute.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kNothing = -1;

struct Level {
  std::set<std::int64_t> states;
  std::set<std::int64_t> records;

  std::int64_t held() const { return std::ssize(states) + std::ssize(records); }
};

class Machine {
 public:
  explicit Machine(const ChainRules& rules)
      : rules_(rules), left_(rules.steps), levels_(rules.capacities.size()) {
    counts_.levels.resize(levels_.size());
  }

  void run(const Action& action) {
    action_ = &action;
    switch (action.kind) {
      case ActionKind::kAdvance:
        run_steps(action.at, action.to);
        counts_.advanced_steps += action.to - action.at;
        break;
      case ActionKind::kSnapshot:
        require(action.at == live_, "the live state to be its own", live_);
        write(&Level::states);
        break;
      case ActionKind::kRestore:
        require(can_restore(action), "the state to be held there", action.at);
        require(action.at < left_, "the state before a step that is left", action.at);
        live_ = action.at;
        ++counts(action.level).reads;
        break;
      case ActionKind::kDiscard:
        require(level(action.level).states.erase(action.at) == 1, "the state to be held there",
                action.at);
        break;
      case ActionKind::kRecord:
        run_steps(action.at, action.at + 1);
        keep_record();
        break;
      case ActionKind::kReverse:
        take_record();
        break;
    }
  }

  ChainCounts finish() const {
    if (left_ != 0) {
      throw std::invalid_argument("execute: all steps must be reversed at the end, " +
                                  std::to_string(left_) + " are left");
    }
    const bool is_empty = std::all_of(levels_.begin(), levels_.end(),
                                      [](const Level& each) { return each.held() == 0; });
    if (!is_empty || work_record_ != kNothing) {
      throw std::invalid_argument("execute: nothing may be held at the end, but something is");
    }
    return counts_;
  }

 private:
  void require(bool holds, std::string_view expectation, std::int64_t value) const {
    if (!holds) {
      throw std::invalid_argument("execute: " + text(*action_) + ": expected " +
                                  std::string(expectation) + ", got " + std::to_string(value));
    }
  }

  Level& level(int index) {
    require(index >= 0 && static_cast<std::size_t>(index) < levels_.size(), "a level that exists",
            index);
    return levels_[static_cast<std::size_t>(index)];
  }
  LevelCounts& counts(int index) { return counts_.levels[static_cast<std::size_t>(index)]; }

  void run_steps(std::int64_t from, std::int64_t to) {
    require(from == live_, "the live state to be its first", live_);
    require(from < to, "at least one step", to - from);
    require(to <= left_, "only steps that are still to be reversed", to);
    counts_.forward_steps += to - from;
    live_ = to;
  }

  void write(std::set<std::int64_t> Level::*kind) {
    Level& to = level(action_->level);
    require((to.*kind).insert(action_->at).second, "it not to be held there yet", action_->at);
    require(to.held() <= rules_.capacities[static_cast<std::size_t>(action_->level)],
            "no more than the level's capacity held", to.held());
    LevelCounts& count = counts(action_->level);
    ++count.writes;
    count.most_held = std::max(count.most_held, to.held());
  }

  bool can_restore(const Action& action) {
    const Level& from = level(action.level);
    return from.states.contains(action.at) ||
           (rules_.record_holds_output && from.records.contains(action.at - 1));
  }

  void keep_record() {
    if (action_->level == kWork) {
      require(work_record_ == kNothing, "no other record in the working memory", work_record_);
      work_record_ = action_->at;
    } else {
      write(&Level::records);
    }
  }

  void take_record() {
    require(action_->at == left_ - 1, "the last step that is still to be reversed", action_->at);
    if (action_->level == kWork) {
      require(work_record_ == action_->at, "the record in the working memory to be its own",
              work_record_);
      work_record_ = kNothing;
    } else {
      require(level(action_->level).records.erase(action_->at) == 1, "its record to be held there",
              action_->at);
      ++counts(action_->level).reads;
    }
    // A turn has its input in the working memory still.
    if (rules_.record_holds_output && action_->level != kWork) {
      require(is_held(action_->at), "the state it began with to be held", action_->at);
    }
    left_ = action_->at;
    live_ = kNothing;
  }

  bool is_held(std::int64_t state) const {
    return std::any_of(levels_.begin(), levels_.end(), [&](const Level& each) {
      return each.states.contains(state) || each.records.contains(state - 1);
    });
  }

  const ChainRules& rules_;
  const Action* action_ = nullptr;
  std::int64_t live_ = 0;
  std::int64_t left_ = 0;  // steps [0, left_) are still to be reversed
  std::int64_t work_record_ = kNothing;
  std::vector<Level> levels_;
  ChainCounts counts_;
};

}  // namespace

ChainCounts execute(const ChainRules& rules, const std::vector<Action>& actions) {
  require_at_least("execute", "steps", rules.steps, 0);
  Machine machine(rules);
  for (const Action& action : actions) {
    machine.run(action);
  }
  return machine.finish();
}

}  // namespace reprise::plan
