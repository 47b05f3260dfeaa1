// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/keep_or_drop_all.h"

#include "reprise/plan/candidates.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

class KeepAll : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    Candidates candidates(program, request, 1);
    candidates.offer({});
    return candidates.answer();
  }
};

class DropAll : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    Candidates candidates(program, request, 1);
    candidates.offer(rebuild_lazily(program, std::vector<bool>(program.values.size(), false)));
    return candidates.answer();
  }
};

}  // namespace

PlannerRecord keep_all_record() {
  return record_of<KeepAll>("keep_all", "keep every value: plain training");
}

PlannerRecord drop_all_record() {
  return record_of<DropAll>("drop_all", "drop every value that can be rebuilt, rebuild each once");
}

}  // namespace reprise::plan
