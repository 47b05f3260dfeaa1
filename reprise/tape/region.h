// SPDX-License-Identifier: Apache-2.0
// RegionRun: the first run of a checkpointed region; what it leaves behind reruns it in backward.
//
// This is the non-template half of reprise::checkpoint. The first run goes on between construction
// and `finish`. In it, autograd keeps a slot number instead of each tensor it saves. A gradient
// pre-hook on the results, or the first slot that is asked for, runs the function again under the
// recorded state, fills the slots and checks them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include "reprise/tape/region_options.h"

namespace reprise::tape {

class Region;

// Calls the user's function again. `inputs` stand for the tensors given to RegionRun, in order.
using Rerun = std::function<void(std::vector<at::Tensor> inputs)>;

class RegionRun {
 public:
  // Throws std::runtime_error if ops cannot be watched in this process.
  RegionRun(const RegionOptions& options, const std::vector<at::Tensor>& inputs, Rerun rerun);
  // Without `finish` (an exception is in flight) nothing is left behind that could rerun by itself.
  ~RegionRun();
  RegionRun(const RegionRun&) = delete;
  RegionRun& operator=(const RegionRun&) = delete;

  // The function has returned. `results`: its tensors, in any order, undefined ones allowed.
  void finish(c10::ArrayRef<at::Tensor> results);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// True while a rerun is under way on this thread: the same function has run before.
bool is_recomputing();

// Saved-value handles, regions and tapes that are alive in the process. Zero once every graph is
// gone; a backward that threw does not end its graph, whoever holds a result of it does.
std::int64_t live_hooks();

}  // namespace reprise::tape
