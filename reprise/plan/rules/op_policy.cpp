// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/op_policy.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "reprise/plan/argument_error.h"
#include "reprise/plan/candidates.h"
#include "reprise/plan/nearest_word.h"
#include "reprise/plan/rebuild.h"
#include "reprise/plan/shortened.h"

namespace reprise::plan {
namespace {

std::set<std::string> set_option(const PlanRequest& request, const std::string& name) {
  const std::vector<std::string> names = names_option(request, name);
  return {names.begin(), names.end()};
}

// A name that does nothing is a mistake.
void require_names(const Program& program, const PlanRequest& request, const std::string& place) {
  std::set<std::string> known;
  for (const Recipe& recipe : program.recipes) {
    known.insert(recipe.name);
  }
  const std::set<std::string> save = set_option(request, "save");
  for (const char* const list : {"recompute", "save"}) {
    const std::string option = std::string("option ") + list + " of planner op_policy";
    for (const std::string& name : set_option(request, list)) {
      if (!known.contains(name)) {
        const auto nearest = nearest_word(name, {known.begin(), known.end()});
        throw ArgumentError(place, option, "ops that recipes of this program are named after", name,
                            nearest ? "did you mean " + shortened(*nearest) + "?" : "");
      }
      if (list == std::string_view("recompute") && save.contains(name)) {
        throw ArgumentError(place, option, "other ops than those to save", name);
      }
    }
  }
}

class OpPolicy : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    const std::set<std::string> save = set_option(request, "save");
    const std::set<std::string> recompute = set_option(request, "recompute");
    const bool others_stay = !recompute.empty() || save.empty();
    std::vector<bool> stays(program.values.size(), true);
    std::size_t dropped_recipes = 0;
    for (const Recipe& recipe : program.recipes) {
      if (save.contains(recipe.name) || (others_stay && !recompute.contains(recipe.name))) {
        continue;
      }
      ++dropped_recipes;
      for (const int output : recipe.outputs) {
        stays[static_cast<std::size_t>(output)] = false;
      }
    }
    Candidates candidates(program, request, 1);
    candidates.offer(rebuild_lazily(program, stays));
    candidates.describe_last(
        "recipes that the policy rebuilds: " + std::to_string(dropped_recipes) + " of " +
        std::to_string(program.recipes.size()));
    return candidates.answer();
  }
};

PlannerOption names(std::string name, std::string help) {
  return {.name = std::move(name),
          .help = std::move(help),
          .kind = OptionKind::kNames,
          .default_text = "none"};
}

}  // namespace

PlannerRecord op_policy_record() {
  PlannerRecord record = record_of<OpPolicy>(
      "op_policy", "keep or rebuild values by the name of the op that made them",
      {names("recompute", "ops whose results are rebuilt; all others stay"),
       names("save", "ops whose results stay; all others are rebuilt")});
  record.require_options = require_names;
  return record;
}

}  // namespace reprise::plan
