// SPDX-License-Identifier: Apache-2.0
// A schedule of a program becomes what a pass does with its values.
#pragma once

#include <memory>

#include "reprise/plan/schedule.h"
#include "reprise/profile/build_program.h"
#include "reprise/profile/step_recorder.h"
#include "reprise/tape/pass_plan.h"

namespace reprise::profile {

// What a pass can be told by, beside its program: its values and nodes, and the hashes of its ops.
struct PassIdentity {
  std::vector<std::uint64_t> hashes_after_ops;
  std::uint64_t forward_hash = 0;
  std::vector<tape::ValueId> root_of_value;  // of the program
  std::vector<tape::ValueId> last_of_value;  // the version that the program's value is
  std::vector<std::int64_t> node_of_use;
  tape::ValueId pass_values = 0;  // how many the pass has
};
PassIdentity identify(tape::Pass& pass, const RecordedPass& recorded, const BuiltProgram& built);

// REQUIRES: `schedule` has no fault for `program`, which is that of `identity`.
tape::PassPlan make_pass_plan(const plan::Program& program, const plan::Schedule& schedule,
                              const PassIdentity& identity);

}  // namespace reprise::profile
