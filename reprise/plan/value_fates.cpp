// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/value_fates.h"

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <sstream>

#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

const Value& value_at(const Program& program, int id) {
  return program.values[static_cast<std::size_t>(id)];
}

std::string milliseconds(double us) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << us / 1e3 << " ms";
  return out.str();
}

void explain(const Program& program, ValueFate& fate) {
  const Value& value = value_at(program, fate.value);
  if (program.is_held(value)) {
    fate.action = ValueFate::Action::kHeld;
    fate.why = "the program holds it through backward";
  } else if (fate.replays > 0) {
    fate.action = ValueFate::Action::kRecomputed;
    fate.why = "made again " +
               (fate.replays == 1 ? "once" : std::to_string(fate.replays) + " times") + " in " +
               milliseconds(fate.recompute_us);
  } else if (!is_rebuildable(program, fate.value)) {
    fate.why = "nothing can make it again";
  } else {
    const Recipe& recipe = program.recipes[static_cast<std::size_t>(value.recipe)];
    fate.why = "making it again takes " + milliseconds(recipe.cost_us) +
               (recipe.random ? ", with its random numbers" : "");
  }
}

}  // namespace

std::vector<ValueFate> value_fates(const Program& program, const Schedule& schedule) {
  std::vector<ValueFate> fates(program.values.size());
  std::vector<int> last_use(program.values.size(), -1);
  for (std::size_t use = 0; use < program.uses.size(); ++use) {
    for (const int need : program.uses[use].needs) {
      last_use[static_cast<std::size_t>(need)] = static_cast<int>(use);
    }
  }
  for (const Replays& replays : schedule.replays) {
    for (const int id : replays.recipes) {
      const Recipe& recipe = program.recipes[static_cast<std::size_t>(id)];
      for (const int output : recipe.outputs) {
        if (replays.before_use <= last_use[static_cast<std::size_t>(output)]) {
          ValueFate& fate = fates[static_cast<std::size_t>(output)];
          ++fate.replays;
          fate.recompute_us += recipe.cost_us;
        }
      }
    }
  }
  std::vector<ValueFate> needed;
  for (std::size_t i = 0; i < fates.size(); ++i) {
    if (last_use[i] >= 0 && !program.values[i].external) {
      fates[i].value = static_cast<int>(i);
      explain(program, fates[i]);
      needed.push_back(std::move(fates[i]));
    }
  }
  return needed;
}

std::string action_text(ValueFate::Action action) {
  switch (action) {
    case ValueFate::Action::kHeld:
      return "held";
    case ValueFate::Action::kKept:
      return "kept";
    case ValueFate::Action::kRecomputed:
      return "recomputed";
  }
  return {};
}

}  // namespace reprise::plan
