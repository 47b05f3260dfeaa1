// SPDX-License-Identifier: Apache-2.0
// What was watched of a step becomes a plan::Program.
#pragma once

#include <vector>

#include "reprise/plan/program.h"
#include "reprise/profile/step_trace.h"

namespace reprise::profile {

// The values of the program are storages of the trace, each as its last write left it.
struct BuiltProgram {
  plan::Program program;
  std::vector<int> storage_of_value;  // of the trace
  std::vector<int> value_of_storage;  // kNoValue: not part of the program
};

inline constexpr int kNoValue = -1;

// The program of a step: recipes for all that its uses need and that can be made again, in the
// order of their first ops (recipe_ops.h says which ops make up one), and the values that these
// recipes make.
//
// - External storages are left out: they are always there. A use may so need nothing; its
//   background counts all the same.
// - An op's number stays what it is in the trace, also where no recipe has the op.
// - `resident_bytes` are those of all storages that user code holds and some op made, whether or
//   not they are values.
// - Bytes that were measured below zero, because something from before the step was freed in it,
//   count as none.
//
// The program has no fault (plan::find_fault).
// Throws StepError if a use needs what a later write overwrites, which no schedule could keep; if
// ops or uses name what is not there; or if a number is none that a program can have.
// O(size of the trace), and for each access to an earlier version O(later writes).
BuiltProgram build_program(const StepTrace& trace);

}  // namespace reprise::profile
