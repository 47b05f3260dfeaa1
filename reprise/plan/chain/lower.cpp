// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/lower.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

void require_one_cost(const Chain& chain) {
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const Stage& stage = chain.stages[i];
    if (stage.options.size() != 1 || stage.options[0].forward_us != stage.forward_us) {
      throw std::invalid_argument(
          "program_of: a stage must have one option that takes its own forward_us, got stage " +
          std::to_string(i) + " with " + std::to_string(stage.options.size()) +
          " options, the first of " + std::to_string(stage.options[0].forward_us) + " us");
    }
  }
}

// What is there beside the outputs of a stage that runs, with or without its record.
std::int64_t workspace_bytes(const Stage& stage) {
  const StageOption& option = stage.options[0];
  const std::int64_t rest_bytes = option.saved_bytes - stage.output_bytes;
  return std::max(option.forward_transient_bytes, stage.transient_bytes - rest_bytes);
}

class Builder {
 public:
  explicit Builder(const Chain& chain) : chain_(chain) {
    const auto stages = std::ssize(chain.stages);
    program_.name = "chain";
    program_.values.push_back({.bytes = chain.input_bytes,
                               .external = true,
                               .label = "state 0",
                               .shape = {},
                               .dtype = {}});
    for (std::int64_t i = 0; i < stages; ++i) {
      add_value("state " + std::to_string(i + 1), stage(i).output_bytes, i,
                std::min(i + 1, stages - 1));
    }
    for (std::int64_t i = 0; i < stages; ++i) {
      add_stage(i);
    }
    for (std::int64_t i = stages - 1; i >= 0; --i) {
      add_use(i);
    }
  }

  Program take() { return std::move(program_); }

 private:
  const Stage& stage(std::int64_t i) const { return chain_.stages[static_cast<std::size_t>(i)]; }

  int add_value(const std::string& label, std::int64_t bytes, std::int64_t made_at,
                std::int64_t released_at) {
    program_.values.push_back({.bytes = bytes,
                               .external = false,
                               .made_at = made_at,
                               .released_at = released_at,
                               .recipe = static_cast<int>(made_at),
                               .label = label,
                               .shape = {},
                               .dtype = {}});
    return static_cast<int>(program_.values.size()) - 1;
  }

  void add_stage(std::int64_t i) {
    const StageOption& option = stage(i).options[0];
    const auto id = static_cast<int>(i);
    Recipe recipe;
    recipe.name = "stage " + std::to_string(i);
    recipe.inputs = {id};
    recipe.outputs = {id + 1};
    if (option.saved_bytes > stage(i).output_bytes) {
      recipe.outputs.push_back(
          add_value("rest " + std::to_string(i), option.saved_bytes - stage(i).output_bytes, i, i));
    }
    recipe.ops = {i};
    recipe.cost_us = option.forward_us;
    recipe.transient_bytes = option.saved_bytes + workspace_bytes(stage(i));
    program_.forward_peak_bytes.push_back((i == 0 ? 0 : state_bytes(chain_, i)) +
                                          recipe.transient_bytes);
    program_.forward_us += option.forward_us;
    program_.step_us += option.forward_us + option.backward_us;
    program_.recipes.push_back(recipe);
  }

  void add_use(std::int64_t i) {
    const StageOption& option = stage(i).options[0];
    Use use;
    use.name = "reverse " + std::to_string(i);
    use.needs = program_.recipes[static_cast<std::size_t>(i)].outputs;
    use.needs.insert(use.needs.begin(), static_cast<int>(i));
    use.cost_us = option.backward_us;
    use.background_bytes = {.replaying = state_bytes(chain_, i + 1),
                            .running = state_bytes(chain_, i + 1) + state_bytes(chain_, i) +
                                       option.backward_transient_bytes,
                            .after = state_bytes(chain_, i)};
    program_.uses.push_back(use);
  }

  const Chain& chain_;
  Program program_;
};

}  // namespace

Program program_of(const Chain& chain) {
  require_valid(chain, "program_of");
  require_one_cost(chain);
  return Builder(chain).take();
}

Schedule schedule_of(std::int64_t steps, const std::vector<Action>& actions) {
  require_at_least("schedule_of", "steps", steps, 0);
  Schedule schedule;
  std::vector<bool> has_run(static_cast<std::size_t>(steps));
  int use = 0;
  const auto evaluate = [&](std::int64_t step) {
    require_at_least("schedule_of", "a step", step, 0);
    require_at_most("schedule_of", "a step", step, steps - 1);
    if (!has_run[static_cast<std::size_t>(step)]) {
      has_run[static_cast<std::size_t>(step)] = true;
      return;
    }
    recipes_before(schedule.replays, use).push_back(static_cast<int>(step));
  };
  for (const Action& action : actions) {
    if (action.kind == ActionKind::kAdvance) {
      for (std::int64_t step = action.at; step < action.to; ++step) {
        evaluate(step);
      }
    } else if (action.kind == ActionKind::kRecord) {
      require_at_most("schedule_of", "the option of a record", action.option, 0);
      evaluate(action.at);
    } else if (action.kind == ActionKind::kReverse) {
      ++use;
    }
  }
  return schedule;
}

}  // namespace reprise::plan
