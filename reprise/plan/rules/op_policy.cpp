// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/op_policy.h"

#include <set>
#include <string>

#include "reprise/plan/candidates.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

std::set<std::string> set_option(const PlanRequest& request, const std::string& name) {
  const std::vector<std::string> names = names_option(request, name);
  return {names.begin(), names.end()};
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
  return record_of<OpPolicy>("op_policy",
                             "keep or rebuild values by the name of the op that made them",
                             {names("recompute", "ops whose results are rebuilt; all others stay"),
                              names("save", "ops whose results stay; all others are rebuilt")});
}

}  // namespace reprise::plan
