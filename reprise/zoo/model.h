// SPDX-License-Identifier: Apache-2.0
// What the command line, the tests and the benches train: a module that turns a batch into a loss.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "reprise/plan/segments.h"
#include "reprise/tape/region_options.h"

namespace reprise::zoo {

// One step's data. What `inputs` are is the model's own affair (token ids, images, samples).
struct Batch {
  std::vector<at::Tensor> inputs;
  at::Tensor target;
};

// Which parts of each block a region covers.
enum class RegionScope {
  kBlocks,       // whole blocks, grouped by `segments`
  kAttention,    // the attention of every block only (its projections, scores and dropout)
  kFeedForward,  // the feed-forward part of every block only
};

// Where regions lie in a model. Default: nowhere, plain training.
struct RegionPlacement {
  RegionScope scope = RegionScope::kBlocks;
  plan::SegmentPlan segments;  // over the model's blocks; empty: nothing checkpointed (kBlocks)
  tape::RegionOptions options; // given to every region; names are made from the block's name
};

class Model : public torch::nn::Module {
 public:
  // Scalar loss of one batch, mean over its elements.
  virtual at::Tensor loss(const Batch& batch) = 0;

  // Number of units that `RegionPlacement::segments` counts: blocks, or time steps of a recurrence.
  virtual std::int64_t blocks() const = 0;

  // True if the model's blocks have an attention and a feed-forward part.
  virtual bool has_scope(RegionScope scope) const { return scope == RegionScope::kBlocks; }

  // Throws std::invalid_argument if the segments do not cover blocks() or the scope is unknown here.
  void place_regions(RegionPlacement placement);
  const RegionPlacement& placement() const { return placement_; }
  std::int64_t regions() const;  // per step

 private:
  RegionPlacement placement_;
};

}  // namespace reprise::zoo
