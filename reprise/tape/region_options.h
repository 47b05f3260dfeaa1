// SPDX-License-Identifier: Apache-2.0
// What a user may ask of a checkpointed region.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Generator.h>

#include "reprise/tape/op_policy.h"
#include "reprise/tape/region_stats.h"

namespace reprise::tape {

// How a region gets its values back.
enum class Recompute {
  kRerun,   // runs the user's function again in backward
  kReplay,  // runs the ops again that the function ran, not the function itself
};

// The mechanism of regions that do not say which: kReplay, unless the process chose another one.
// For comparing the two without touching the code of a model.
Recompute default_recompute();
void set_default_recompute(Recompute recompute);

// How a rerun is compared with the first run. A difference throws ReplayMismatch.
enum class DeterminismCheck {
  kNone,      // nothing is compared; a value that is missing is still an error
  kMetadata,  // number, shape, dtype and device of the saved values
  kValues,    // those, and a hash of the bytes of each saved value (costs a pass over them)
};

// State of the user's own that a region reads or changes and that is no tensor: a random source, a
// cache in a container, a counter. `save` returns a copy of it; `restore` puts such a copy back and
// must not throw.
struct UserState {
  std::function<std::any()> save = {};
  std::function<void(const std::any&)> restore = {};
};

// The usual case: `object` is copyable and outlives every backward through the region.
template <class T>
UserState copied_state(T& object) {
  return {[&object] { return std::any(object); },
          [&object](const std::any& saved) { object = std::any_cast<const T&>(saved); }};
}

// Enters a context of the user's (a thread-local mode, say) and returns what leaves it when
// destroyed.
using ContextFactory = std::function<std::shared_ptr<void>()>;

struct RegionOptions {
  std::string name = {};  // shown in errors and reports
  Recompute recompute = default_recompute();

  // What is kept all the same, by what made it or by its name. Of regions in regions, a value is
  // kept if each region that it was made in says so. A region that reruns must have none.
  OpPolicy policy = {};
  NamePolicy name_policy = {};

  // Bring back the state that generators had, so that the rerun draws the same numbers. State is
  // stored only when the region drew any. Off: gradients of random layers may differ from plain.
  bool preserves_rng = true;
  // Generators that the region draws from by other means than an ATen op (those are seen).
  std::vector<at::Generator> generators = {};
  // State that is not a tensor: brought back for the rerun, then put as it was before backward.
  std::vector<UserState> states = {};
  // Entered around the first run and around each rerun. Both may be empty.
  ContextFactory forward_context = {};
  ContextFactory recompute_context = {};

  DeterminismCheck determinism_check = DeterminismCheck::kMetadata;
  // Stop a rerun as soon as the last value that backward needs is there.
  bool stops_early = true;
  // Keep the op lists of both runs, run reruns to the end, and name the first op that differs.
  bool debug = false;

  // Where the region counts what it does; shared by the user, who reads it, and by live regions.
  std::shared_ptr<RegionStats> stats = {};
};

}  // namespace reprise::tape
