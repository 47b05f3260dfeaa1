// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/chain_of.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "reprise/plan/chain/lower.h"
#include "reprise/plan/index.h"
#include "reprise/plan/rules/blocks.h"
#include "reprise/plan/shortened.h"
#include "reprise/plan/unread_replays.h"

namespace reprise::plan {
namespace {

constexpr int kNone = -1;

std::string name_recipe(const Program& program, int recipe) {
  return "recipe " + std::to_string(recipe) + " (" +
         shortened(program.recipes[index(recipe)].name) + ")";
}

// Finds the chain, or the first thing that is against it.
class Recogniser {
 public:
  explicit Recogniser(const Program& program)
      : program_(program),
        is_needed_(program.values.size(), false),
        stage_of_(program.values.size(), kNone),
        is_state_(program.values.size(), false) {}

  ChainAnswer run() {
    if (!find_wanted() || !find_order() || !place_uses()) {
      return {.chain = std::nullopt, .why_not = why_not_};
    }
    for (std::size_t stage = 0; stage < found_.recipes.size(); ++stage) {
      found_.chain.stages.push_back(stage_of(stage));
    }
    add_backgrounds();
    return {.chain = std::move(found_), .why_not = {}};
  }

 private:
  bool refuse(std::string why_not) {
    why_not_ = std::move(why_not);
    return false;
  }

  bool is_always_there(int value) const {
    const Value& info = program_.values[index(value)];
    return !program_.is_counted(info);
  }

  // The recipes that may bring back what backward needs, with all that they read.
  bool find_wanted() {
    std::vector<int> open;
    for (const Use& use : program_.uses) {
      for (const int value : use.needs) {
        is_needed_[index(value)] = !is_always_there(value);
        open.push_back(value);
      }
    }
    is_wanted_.assign(program_.recipes.size(), false);
    while (!open.empty()) {
      const int value = open.back();
      open.pop_back();
      if (is_always_there(value)) {
        continue;
      }
      const int recipe = program_.values[index(value)].recipe;
      if (recipe == kNoRecipe) {
        return refuse("nothing can rebuild value " + std::to_string(value) +
                      ", which backward may want");
      }
      const Recipe& info = program_.recipes[index(recipe)];
      if (!info.replayable) {
        return refuse(name_recipe(program_, recipe) + " must not run again");
      }
      if (!is_wanted_[index(recipe)]) {
        is_wanted_[index(recipe)] = true;
        open.insert(open.end(), info.inputs.begin(), info.inputs.end());
      }
    }
    return true;
  }

  // The wanted recipes one after the other, cut into stages.
  bool find_order() {
    int previous = kNone;
    std::vector<int> stage;
    for (const int recipe : forward_order(program_)) {
      if (!is_wanted_[index(recipe)]) {
        continue;
      }
      if (!reads_only(recipe, previous)) {
        return false;
      }
      stage.push_back(recipe);
      const std::vector<int>& outputs = program_.recipes[index(recipe)].outputs;
      if (std::any_of(outputs.begin(), outputs.end(),
                      [this](int value) { return is_needed_[index(value)]; })) {
        for (const int value : outputs) {
          stage_of_[index(value)] = static_cast<int>(found_.recipes.size());
        }
        found_.recipes.push_back(std::move(stage));
        stage.clear();
      }
      previous = recipe;
    }
    if (found_.recipes.empty()) {
      return refuse("there is nothing that backward needs and a recipe can rebuild");
    }
    // Nobody reads what the last stage makes: whatever backward needs of it may count as its state.
    for (const int value : program_.recipes[index(previous)].outputs) {
      if (is_needed_[index(value)]) {
        is_state_[index(value)] = true;
        break;
      }
    }
    return true;
  }

  bool reads_only(int recipe, int previous) {
    bool reads_previous = previous == kNone;
    for (const int value : program_.recipes[index(recipe)].inputs) {
      if (is_always_there(value)) {
        continue;
      }
      if (previous == kNone || program_.values[index(value)].recipe != previous) {
        return refuse(name_recipe(program_, recipe) + " reads value " + std::to_string(value) +
                      ", which the recipe before it does not make");
      }
      is_state_[index(value)] = true;
      reads_previous = true;
    }
    return reads_previous || refuse(name_recipe(program_, recipe) + " reads nothing of " +
                                    name_recipe(program_, previous) + ", which runs before it");
  }

  bool place_uses() {
    int latest = static_cast<int>(found_.recipes.size()) - 1;
    for (std::size_t use = 0; use < program_.uses.size(); ++use) {
      const int stage = stage_for(program_.uses[use], latest);
      if (stage == kNone) {
        return refuse("use " + std::to_string(use) + " (" + shortened(program_.uses[use].name) +
                      ") does not come in the turn of a stage that makes and reads all it needs");
      }
      latest = stage;
      found_.stage_of_use.push_back(stage);
    }
    return true;
  }

  // The latest stage up to `latest` that makes or reads everything that the use needs.
  int stage_for(const Use& use, int latest) const {
    int maker = kNone;
    for (const int value : use.needs) {
      maker = is_always_there(value) ? maker : std::max(maker, stage_of_[index(value)]);
    }
    if (maker == kNone) {
      return latest;
    }
    for (const int stage : {maker + 1, maker}) {
      if (stage <= latest && std::all_of(use.needs.begin(), use.needs.end(), [&](int value) {
            return is_always_there(value) || stage_of_[index(value)] == stage ||
                   (stage_of_[index(value)] == stage - 1 && is_state_[index(value)]);
          })) {
        return stage;
      }
    }
    return kNone;
  }

  std::int64_t bytes(const std::vector<int>& values, const std::vector<bool>& counted) const {
    std::int64_t sum = 0;
    for (const int value : values) {
      sum += counted[index(value)] && !is_always_there(value) ? program_.values[index(value)].bytes
                                                              : 0;
    }
    return sum;
  }

  Stage stage_of(std::size_t at) const {
    Stage stage;
    StageOption option;
    std::int64_t most_bytes = 0;   // beyond the input, while the stage runs
    std::int64_t input_bytes = 0;  // of a recipe, made within the stage
    for (const int id : found_.recipes[at]) {
      const Recipe& recipe = program_.recipes[index(id)];
      std::int64_t output_bytes = 0;
      for (const int output : recipe.outputs) {
        output_bytes += program_.values[index(output)].bytes;
      }
      stage.forward_us += recipe.cost_us;
      most_bytes =
          std::max(most_bytes, input_bytes + std::max(recipe.transient_bytes, output_bytes));
      input_bytes = bytes(recipe.outputs, is_state_);
    }
    const std::vector<int>& outputs = program_.recipes[index(found_.recipes[at].back())].outputs;
    std::vector<bool> is_kept = is_needed_;
    for (const int output : outputs) {
      is_kept[index(output)] = is_kept[index(output)] || is_state_[index(output)];
    }
    stage.output_bytes = input_bytes;
    stage.transient_bytes = most_bytes - stage.output_bytes;
    option.forward_us = stage.forward_us;
    option.saved_bytes = bytes(outputs, is_kept);
    option.forward_transient_bytes = most_bytes - option.saved_bytes;
    stage.options = {option};
    return stage;
  }

  // What a use has beside the gradients of the states around its stage, and beside the record,
  // which the chain counts until the last use of the stage.
  void add_backgrounds() {
    std::vector<bool> is_record_needed(found_.recipes.size(), false);
    for (std::size_t use = program_.uses.size(); use-- > 0;) {
      const Use& info = program_.uses[use];
      const int stage = found_.stage_of_use[use];
      StageOption& option = found_.chain.stages[index(stage)].options[0];
      is_record_needed[index(stage)] =
          is_record_needed[index(stage)] ||
          std::any_of(info.needs.begin(), info.needs.end(), [&](int value) {
            return !is_always_there(value) && stage_of_[index(value)] == stage;
          });
      const std::int64_t counted_bytes = state_bytes(found_.chain, stage) +
                                         state_bytes(found_.chain, stage + 1) +
                                         (is_record_needed[index(stage)] ? 0 : option.saved_bytes);
      option.backward_us += info.cost_us;
      option.backward_transient_bytes =
          std::max(option.backward_transient_bytes,
                   info.background_bytes.running + program_.resident_bytes - counted_bytes);
    }
  }

  const Program& program_;
  std::vector<bool> is_needed_;  // per value: by a use, and not always there
  std::vector<bool> is_wanted_;  // per recipe
  std::vector<int> stage_of_;    // per value: the stage that ends with its recipe
  std::vector<bool> is_state_;   // per value: the recipe after its own reads it
  ProgramChain found_;
  std::string why_not_;
};

}  // namespace

ChainAnswer chain_of(const Program& program) { return Recogniser(program).run(); }

std::optional<std::string> why_not_chain(const Program& program, std::size_t most_stages) {
  const ChainAnswer answer = chain_of(program);
  if (!answer.chain) {
    return "it is no chain: " + answer.why_not;
  }
  const std::size_t stages = answer.chain->recipes.size();
  if (stages > most_stages) {
    return "it is a chain of " + std::to_string(stages) + " stages, at most " +
           std::to_string(most_stages) + " are solved";
  }
  return std::nullopt;
}

std::vector<Replays> replays_of(const Program& program, const ProgramChain& chain,
                                const std::vector<Action>& actions) {
  const auto stages = std::ssize(chain.recipes);
  // Per stage the first use that comes in its turn or later.
  std::vector<std::size_t> first_use(index(stages), program.uses.size());
  std::size_t next_use = 0;
  for (std::int64_t stage = stages; stage-- > 0;) {
    while (next_use < program.uses.size() && chain.stage_of_use[next_use] > stage) {
      ++next_use;
    }
    first_use[index(stage)] = next_use;
  }
  std::vector<Replays> replays;
  for (const Replays& before : schedule_of(stages, actions).replays) {
    const std::size_t use = first_use[index(stages - 1 - before.before_use)];
    if (use == program.uses.size()) {
      continue;
    }
    std::vector<int>& recipes = recipes_before(replays, static_cast<int>(use));
    for (const int stage : before.recipes) {
      recipes.insert(recipes.end(), chain.recipes[index(stage)].begin(),
                     chain.recipes[index(stage)].end());
    }
  }
  return without_unread(program, std::move(replays));
}

}  // namespace reprise::plan
