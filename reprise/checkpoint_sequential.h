// SPDX-License-Identifier: Apache-2.0
// checkpoint_sequential: runs a chain of stages, segments of which are checkpointed regions.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <torch/nn/modules/container/any.h>
#include <torch/nn/modules/container/sequential.h>

#include "reprise/checkpoint.h"
#include "reprise/plan/segments.h"

namespace reprise {

// What comes out of the last stage, and which segments were regions (printable: `plan.text()`).
template <class T>
struct SequentialResult {
  T output;
  plan::SegmentPlan plan;
};

namespace detail {

// Runs one stage: on the whole value, or on its elements if it is a tuple that the stage takes
// apart.
template <class Stage, class T>
T run_stage(Stage& stage, T value) {
  if constexpr (std::is_invocable_v<Stage&, T> || HasForward<Stage, T>) {
    return call(stage, std::move(value));
  } else {
    return std::apply([&](auto&&... each) { return T(call(stage, std::move(each)...)); },
                      std::move(value));
  }
}

template <class T>
T run_stage(torch::nn::AnyModule& stage, T value) {
  if constexpr (std::is_same_v<T, at::Tensor>) {
    return stage.forward<T>(std::move(value));
  } else {
    return std::apply([&](auto&&... each) { return stage.forward<T>(std::move(each)...); },
                      std::move(value));
  }
}

inline plan::SegmentPlan plan_of(const plan::SegmentPlan& plan, std::int64_t layers) {
  if (plan.layers() != layers) {
    throw std::invalid_argument("checkpoint_sequential: the plan must cover " +
                                std::to_string(layers) + " stages, got one for " +
                                std::to_string(plan.layers()));
  }
  std::int64_t covered = 0;
  for (const plan::Segment& segment : plan.segments) {
    if (segment.first != covered || segment.last <= segment.first) {
      throw std::invalid_argument(
          "checkpoint_sequential: the plan's segments must be adjacent and not empty, got one of "
          "the stages from " +
          std::to_string(segment.first) + " up to " + std::to_string(segment.last) + " after " +
          std::to_string(covered) + " stages");
    }
    covered = segment.last;
  }
  return plan;
}

inline plan::SegmentPlan plan_of(std::integral auto segments, std::int64_t layers) {
  return plan::n_segments(layers, static_cast<std::int64_t>(segments));
}

template <std::invocable<std::int64_t> Policy>
plan::SegmentPlan plan_of(const Policy& policy, std::int64_t layers) {
  return plan_of(policy(layers), layers);
}

}  // namespace detail

// Runs `input` through `stages` and returns the result of the last one and the plan.
//
// `stages`: a vector of callables, modules or holders, each taking what the one before returns: one
// value, or the elements of a tuple. `policy`: a plan::SegmentPlan, a number of segments (of sizes
// that differ by at most one), or a function from the number of stages to a plan. Of a number of
// segments the last is no region: backward needs its values at once.
// `options` are those of every region; its name is followed by the range of stages ("net 0-2").
// Throws std::invalid_argument if the plan does not cover each stage once, in order.
template <class Stage, class Policy, class T>
SequentialResult<T> checkpoint_sequential(const CheckpointOptions& options,
                                          const std::vector<Stage>& stages, const Policy& policy,
                                          T input) {
  SequentialResult<T> result{
      .output = std::move(input),
      .plan = detail::plan_of(policy, static_cast<std::int64_t>(stages.size()))};
  for (const plan::Segment& segment : result.plan.segments) {
    // The region keeps its stages: it runs them again when the vector may be gone.
    auto run = [part = std::vector<Stage>(stages.begin() + segment.first,
                                          stages.begin() + segment.last)](T value) mutable {
      for (Stage& stage : part) {
        value = detail::run_stage(stage, std::move(value));
      }
      return value;
    };
    if (!segment.is_region) {
      result.output = run(std::move(result.output));
      continue;
    }
    CheckpointOptions named = options;
    // Appended piece by piece: for `"..." + std::string` gcc 12 warns at -O3, without cause
    // (-Wrestrict).
    named.name += named.name.empty() ? "" : " ";
    named.name += std::to_string(segment.first);
    named.name += '-';
    named.name += std::to_string(segment.last - 1);
    result.output = checkpoint(named, std::move(run), std::move(result.output));
  }
  return result;
}

// The same for a Sequential.
template <class Policy, class T>
SequentialResult<T> checkpoint_sequential(const CheckpointOptions& options,
                                          torch::nn::Sequential& stages, const Policy& policy,
                                          T input) {
  return checkpoint_sequential(options,
                               std::vector<torch::nn::AnyModule>(stages->begin(), stages->end()),
                               policy, std::move(input));
}

template <class Stages, class Policy, class T>
SequentialResult<T> checkpoint_sequential(Stages&& stages, const Policy& policy, T input) {
  return checkpoint_sequential(CheckpointOptions(), std::forward<Stages>(stages), policy,
                               std::move(input));
}

}  // namespace reprise
