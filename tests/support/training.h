// SPDX-License-Identifier: Apache-2.0
// Runs a step of training plainly and inside regions, and compares what the two computed, bit by
// bit.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>

#include "reprise/checkpoint.h"
#include "reprise/memory_budget.h"

namespace reprise::support {

using Tensors = std::vector<at::Tensor>;

// Double tensors on the CPU.
at::Tensor values(std::initializer_list<double> flat, c10::IntArrayRef sizes = {});
at::Tensor leaf(std::initializer_list<double> flat, c10::IntArrayRef sizes = {});
// `count` numbers from -1 to 1 in the given shape.
at::Tensor ramp(c10::IntArrayRef sizes);
at::Tensor ramp_leaf(c10::IntArrayRef sizes);

// Same definedness, dtype, shape and bytes; NaN equals itself.
bool bitwise_equal(const at::Tensor& a, const at::Tensor& b);
bool bitwise_equal(const Tensors& a, const Tensors& b);

bool is_close(const at::Tensor& tensor, std::initializer_list<double> expected,
              double relative = 1e-9);

at::Tensor default_generator_state();

// Counts the calls of one operator on this thread, in the forward and backward passes of a scope.
class CountedOps {
 public:
  explicit CountedOps(const std::string& name);
  ~CountedOps();
  CountedOps(const CountedOps&) = delete;
  CountedOps& operator=(const CountedOps&) = delete;

  void see(const char* name) { count_ += name_ == name ? 1 : 0; }
  int count() const { return count_; }

 private:
  CountedOps* outer_;
  std::string name_;
  std::uint64_t handle_;
  int count_ = 0;
};

// Calls a function with `depth` regions around it, one in the other; 0 is the plain call. The
// innermost region has the name of the options, the others are called "outer".
class Nest {
 public:
  Nest(int depth, CheckpointOptions options) : depth_(depth), options_(std::move(options)) {}

  at::Tensor operator()(const std::function<at::Tensor(const at::Tensor&)>& fn,
                        const at::Tensor& input) const;
  Tensors operator()(const std::function<Tensors(const Tensors&)>& fn, const Tensors& inputs) const;

  int depth() const { return depth_; }
  const CheckpointOptions& options() const { return options_; }

 private:
  int depth_;
  CheckpointOptions options_;
};

// The same options, with regions that replay, or that rerun.
CheckpointOptions replaying(CheckpointOptions options = {});
CheckpointOptions rerunning(CheckpointOptions options = {});

// What a step has computed; it has run its backward by itself.
struct Step {
  Tensors outputs = {};
  Tensors leaves = {};   // their grad() is compared, also where there is none
  Tensors buffers = {};  // state that the step may have written
};

// The step's results as plain copies, and what its innermost regions counted.
struct Run {
  Tensors outputs;
  Tensors gradients;
  Tensors buffers;
  at::Tensor generator_state;
  RegionCounts counts;
};

using Body = std::function<Step(const Nest& region)>;

// One run of `body` from seed 1, in a step of `budget` if there is one. Expects that it leaves
// nothing alive and no setting changed.
Run run_step(const Body& body, int depth, const CheckpointOptions& options = {},
             MemoryBudget* budget = nullptr);

// As little memory as any plan manages, found quickly.
MemoryBudget smallest_budget();

// Runs `body` plainly and one, two and three regions deep, expects bitwise equal outputs,
// gradients, buffers and generator, and returns the runs by depth. The same of regions that replay,
// and of steps under budgets that are far too small, unplanned and planned.
std::vector<Run> expect_same_as_plain(const Body& body, const CheckpointOptions& options = {});

// The same for the usual step: a region of `fn` on a leaf equal to `input`, made anew for each run,
// and backward from the sum of its result.
std::vector<Run> expect_region_same_as_plain(const std::function<at::Tensor(const at::Tensor&)>& fn,
                                             const at::Tensor& input,
                                             const CheckpointOptions& options = {});

// Autograd's words for a saved tensor that was changed in place.
inline auto throws_modified_in_place() {
  return testing::ThrowsMessage<c10::Error>(testing::HasSubstr("modified by an inplace operation"));
}

// Expects that error of `body`, which runs its backward by itself, plainly, in a region, and in a
// region in a region; and that nothing stays alive.
void expect_modified_in_place(const std::function<void(const Nest& region)>& body);

}  // namespace reprise::support
