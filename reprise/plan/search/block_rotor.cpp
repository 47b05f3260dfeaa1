// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/block_rotor.h"

#include <map>

#include "reprise/plan/index.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

// Carries out the actions on paper: who holds which value, and what runs where.
class Lowering {
 public:
  Lowering(const Program& program, const BlockChain& chain)
      : program_(program), chain_(chain), holders_(program.values.size(), 0) {
    for (std::size_t value = 0; value < holders_.size(); ++value) {
      // What nothing can rebuild, and what is always there, is held for good.
      holders_[value] = is_rebuildable(program, static_cast<int>(value)) &&
                                !program.is_held(program.values[value])
                            ? 0
                            : 1;
    }
  }

  std::vector<Replays> run(const std::vector<Action>& actions) {
    for (const Action& action : actions) {
      carry_out(action);
    }
    return std::move(replays_);
  }

 private:
  using Values = std::vector<int>;

  const Values& state(std::int64_t at) const {
    static const Values nothing;
    return at > 0 && at < chain_.blocks.count() ? chain_.blocks.crossing[index(at - 1)] : nothing;
  }

  void hold(const Values& values) {
    for (const int value : values) {
      ++holders_[index(value)];
    }
  }
  void release(const Values& values) {
    for (const int value : values) {
      --holders_[index(value)];
    }
  }
  void set_live(const Values& values) {
    hold(values);
    release(live_);
    live_ = values;
  }

  void carry_out(const Action& action) {
    switch (action.kind) {
      case ActionKind::kAdvance:
        require(state(action.to));
        set_live(state(action.to));
        break;
      case ActionKind::kSnapshot:
        hold(live_);
        break;
      case ActionKind::kRestore:
        set_live(state(action.at));
        break;
      case ActionKind::kDiscard:
        release(state(action.at));
        break;
      case ActionKind::kRecord: {
        Values record = chain_.kept[index(action.at)][index(action.option)];
        record.insert(record.end(), state(action.at + 1).begin(), state(action.at + 1).end());
        if (action.level == kWork) {
          record.insert(record.end(), state(action.at).begin(), state(action.at).end());
        }
        require(record);
        hold(record);
        records_[action.at] = std::move(record);
        set_live(state(action.at + 1));
        break;
      }
      case ActionKind::kReverse:
        is_backward_ = true;
        reverse(action.at);
        break;
    }
    release(made_);
    made_.clear();
  }

  void reverse(std::int64_t block) {
    while (next_use_ < program_.uses.size() && chain_.blocks.of_use[next_use_] >= block) {
      require(program_.uses[next_use_].needs);
      ++next_use_;
    }
    release(records_[block]);
    records_.erase(block);
    set_live({});
  }

  // Runs, before the next use, what it takes to have `values`. What is made on the way is held
  // until the end of the action.
  void require(const Values& values) {
    // Forward makes everything, and after the last use nobody needs anything.
    if (!is_backward_ || next_use_ == program_.uses.size()) {
      return;
    }
    for (const int value : values) {
      push(value);
      while (!open_.empty()) {
        const auto [recipe, input] = open_.back();
        const Recipe& info = program_.recipes[index(recipe)];
        if (input < info.inputs.size()) {
          ++open_.back().second;
          push(info.inputs[input]);
          continue;
        }
        open_.pop_back();
        recipes_before(replays_, static_cast<int>(next_use_)).push_back(recipe);
      }
    }
  }

  void push(int value) {
    if (holders_[index(value)] > 0) {
      return;
    }
    const int recipe = program_.values[index(value)].recipe;
    // Held from now on, so that nobody else makes it too; it runs before whoever asks next.
    for (const int output : program_.recipes[index(recipe)].outputs) {
      ++holders_[index(output)];
      made_.push_back(output);
    }
    open_.emplace_back(recipe, 0);
  }

  const Program& program_;
  const BlockChain& chain_;
  std::vector<int> holders_;  // per value
  Values live_;
  Values made_;  // by this action
  std::map<std::int64_t, Values> records_;
  std::vector<std::pair<int, std::size_t>> open_;  // recipe and its next input
  bool is_backward_ = false;
  std::size_t next_use_ = 0;
  std::vector<Replays> replays_;
};

}  // namespace

std::vector<Replays> lower(const Program& program, const BlockChain& chain,
                           const std::vector<Action>& actions) {
  return Lowering(program, chain).run(actions);
}

}  // namespace reprise::plan
