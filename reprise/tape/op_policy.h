// SPDX-License-Identifier: Apache-2.0
// OpPolicy: which values a region keeps from forward to backward, op by op or name by name.
//
//   reprise::CheckpointOptions options;
//   options.policy = reprise::save_matmuls();
//   auto y = reprise::checkpoint(options, block, x);
//
// Only what no policy keeps is recomputed. Known from PyTorch's selective activation checkpointing
// (create_selective_checkpoint_contexts) and, by names, from JAX (checkpoint_name). For regions
// that replay.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

namespace c10 {
struct IValue;
}

namespace reprise::tape {

// What becomes of the values that an op has made.
enum class SaveAction {
  // Kept. An op of the region that writes such a value in place is an error, as it would be lost,
  // and so is a backward after somebody else has written it.
  kMustSave,
  // Kept. What an op writes to it in place is kept in its stead; if somebody else writes it, it is
  // recomputed.
  kPreferSave,
  // Not kept. A region does both in the same way.
  kMustRecompute,
  kPreferRecompute,
  // As the save of the same strength, until values can be moved off the device. Counted in
  // RegionCounts::offloads_kept.
  kMustOffload,
  kPreferOffload,
};

bool must_be_saved(SaveAction action);
bool is_offload(SaveAction action);

// An op of a region that has just run and made values: tensors with memory of their own. Views make
// none; nor do ops that are never run again (collectives, say), whose results are kept in any case.
// Ops are those below autograd: `at::matmul` runs as `aten::mm` or `aten::bmm`.
struct RegionOp {
  std::string_view name;      // "aten::addmm", without the overload
  std::string_view overload;  // "", "Tensor", "out"
  std::int64_t bytes = 0;     // of the values that it made
  // As they were given and returned, for as long as the policy is asked. What the op has written
  // shows the new content.
  c10::ArrayRef<c10::IValue> arguments = {};
  c10::ArrayRef<c10::IValue> results = {};
};

// Each run of a region asks a copy of its own, so a policy may count.
// What it throws leaves through the region's function.
using OpPolicy = std::function<SaveAction(const RegionOp& op)>;
// Asked where the region calls name(x, ...). Its word counts instead of the one of OpPolicy.
using NamePolicy = std::function<SaveAction(const std::string& name)>;

// Must save what these ops make, prefers to recompute the rest.
// Throws std::invalid_argument if no operator has such a name, or if it only calls others, which a
// region sees in its place ("aten::linear").
OpPolicy save_ops(std::vector<std::string> names);

// The ready-made ones prefer to save, and prefer to recompute the rest.
// Products of matrices and vectors; with `every` = 2 the first, third, fifth ... of them.
// Throws std::invalid_argument if `every` is not positive.
OpPolicy save_matmuls(std::int64_t every = 1);
OpPolicy save_convolutions();
// scaled_dot_product_attention, where it runs as one op; not attention that is written out.
OpPolicy save_attention();
// What ops make that make more than so many bytes. Throws std::invalid_argument if `bytes` is
// negative.
OpPolicy save_larger_than(std::int64_t bytes);

// Prefers to save the values of these names, and to recompute other named ones.
NamePolicy save_only(std::vector<std::string> names);
// Prefers to recompute the values of these names, and to save other named ones.
NamePolicy save_any_but(std::vector<std::string> names);

// Gives the memory of `x` a name for the NamePolicy of the regions that run it; outside of a region
// that replays, nothing happens. Returns `x`.
at::Tensor name(const at::Tensor& x, const std::string& name);

}  // namespace reprise::tape
