// SPDX-License-Identifier: Apache-2.0
// What the command line, the tests and the benches train: a module that turns a batch into a loss.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <torch/nn/module.h>

#include "reprise/checkpoint.h"
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
  plan::SegmentPlan segments;   // over the model's blocks; empty: nothing checkpointed (kBlocks)
  tape::RegionOptions options;  // given to every region; names are made from the block's name
  // Told each segment and the bytes of the tensors that it takes, before it runs; may be empty.
  std::function<void(const plan::Segment& segment, std::int64_t input_bytes)> on_segment = {};
};

// Invariant: the placement fits the model. Regions refer to the model: it must outlive every
// backward through its losses.
class Model : public torch::nn::Module {
 public:
  // Scalar loss of one batch, mean over its elements.
  // Throws std::invalid_argument if the batch has other shapes than the model was made for.
  virtual at::Tensor loss(const Batch& batch) = 0;

  // Number of units that `RegionPlacement::segments` counts: blocks, or time steps of a recurrence.
  virtual std::int64_t blocks() const = 0;

  // Positions of the batch's sequences (tokens, samples); nothing if the model takes no sequences.
  virtual std::optional<std::int64_t> sequence_length(const Batch& /*batch*/) const { return {}; }

  // The model and its sizes in one line: "gpt: 6 layers, dim 192, ...". Two models with the same
  // description have the same parameters and the same loss function.
  virtual std::string description() const = 0;

  // True if the model's blocks have the parts that the scope covers.
  bool has_scope(RegionScope scope) const;

  // Throws std::invalid_argument if the segments do not cover blocks() or the scope is unknown
  // here.
  void place_regions(RegionPlacement placement);
  const RegionPlacement& placement() const { return placement_; }
  std::int64_t regions() const;  // per step

 protected:
  // Number of blocks that have an attention and a feed-forward part.
  virtual std::int64_t attention_blocks() const { return 0; }

  // What a step runs: the segments placed, or one plain segment over all blocks.
  std::vector<plan::Segment> segments() const;

  // fn(args...), as a region called after the blocks if the segment is one. Both take what they
  // need by argument; `fn` may capture `this`.
  template <class F, class... Args>
  auto run_segment(const plan::Segment& segment, F&& fn, Args&&... args) {
    if (placement_.on_segment) {
      placement_.on_segment(segment, (std::int64_t{0} + ... + bytes_of(args)));
    }
    if (!segment.is_region) {
      return std::invoke(std::forward<F>(fn), std::forward<Args>(args)...);
    }
    return checkpoint(segment_options(segment), std::forward<F>(fn), std::forward<Args>(args)...);
  }

  // A step of a model whose blocks take one tensor and give one: run_block(block, h) for each
  // block, in the segments placed. `run_block` is copied into the regions; it may capture `this`.
  template <class RunBlock>
  at::Tensor run_segments(at::Tensor h, const RunBlock& run_block) {
    for (const plan::Segment& segment : segments()) {
      h = run_segment(
          segment,
          [segment, run_block](const at::Tensor& input) {
            at::Tensor x = input;
            for (std::int64_t block = segment.first; block < segment.last; ++block) {
              x = run_block(block, x);
            }
            return x;
          },
          h);
    }
    return h;
  }

  // run_segment() for the attention or feed-forward part of one block: a region if that scope is
  // placed.
  template <class F, class... Args>
  auto run_part(RegionScope part, std::int64_t block, F&& fn, Args&&... args) {
    if (placement_.scope != part) {
      return std::invoke(std::forward<F>(fn), std::forward<Args>(args)...);
    }
    return checkpoint(part_options(part, block), std::forward<F>(fn), std::forward<Args>(args)...);
  }

 private:
  static std::int64_t bytes_of(const at::Tensor& tensor);
  static std::int64_t bytes_of(const std::vector<at::Tensor>& tensors);
  tape::RegionOptions segment_options(const plan::Segment& segment) const;
  tape::RegionOptions part_options(RegionScope part, std::int64_t block) const;

  RegionPlacement placement_;
};

}  // namespace reprise::zoo
