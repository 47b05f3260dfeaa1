// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/generate/random.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "reprise/plan/checks.h"
#include "reprise/plan/generate/step_builder.h"

namespace reprise::plan {
namespace {

// splitmix64. The distributions of <random> may differ from library to library.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }
  // In [0, count); the bias for counts far below 2^64 does not matter here.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(count));
  }
  bool happens(std::int64_t percent) { return below(100) < percent; }
  // In [1, most], all orders of magnitude alike.
  std::int64_t size(std::int64_t most) {
    const auto digits = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(most)));
    return 1 + below(std::min(most, std::int64_t{1} << below(digits)));
  }

 private:
  std::uint64_t state_;
};

class RandomStep {
 public:
  RandomStep(const RandomSizes& sizes) : sizes_(sizes), draw_(sizes.seed), step_(name()) {
    known_.push_back(step_.external());
    known_.push_back(step_.external());
  }

  Program make() {
    for (std::int64_t op = 1; op < sizes_.ops; ++op) {
      step_.set_label("scope." + std::to_string(op / 4));
      if (fresh_ >= 0 && draw_.happens(15)) {
        overwrite();
      } else {
        run();
      }
    }
    // Reads from anywhere, so that most of what was made has a gradient.
    const std::vector<int> inputs = picked(4 + sizes_.ops / 8);
    const int loss =
        step_.run({.name = "loss", .inputs = inputs, .output_bytes = {4}, .cost_us = cost_us()})
            .front();
    add_node(loss, inputs, {inputs.front()});
    Program program = step_.finish(loss);
    for (Use& use : program.uses) {
      vary(use.background_bytes);
    }
    return program;
  }

 private:
  std::string name() const { return "random" + std::to_string(sizes_.ops); }
  double cost_us() { return static_cast<double>(draw_.size(1 << 14)) / 8; }

  // Mostly of late, now and then from anywhere.
  int pick() {
    const auto count = static_cast<std::int64_t>(known_.size());
    const std::int64_t back = draw_.happens(80) ? std::min<std::int64_t>(4, count) : count;
    return known_[static_cast<std::size_t>(count - 1 - draw_.below(back))];
  }

  std::vector<int> picked(std::int64_t count) {
    std::vector<int> values;
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(pick());
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  void run() {
    const std::vector<int> inputs = picked(1 + draw_.below(3));
    std::vector<std::int64_t> output_bytes(draw_.happens(75) ? 1 : 2);
    for (std::int64_t& bytes : output_bytes) {
      bytes = draw_.size(sizes_.most_bytes);
    }
    const std::vector<int> outputs =
        step_.run({.name = "op" + std::to_string(draw_.below(8)),
                   .inputs = inputs,
                   .output_bytes = output_bytes,
                   .cost_us = cost_us(),
                   .scratch_bytes = draw_.happens(30) ? draw_.size(sizes_.most_bytes) : 0,
                   .random = draw_.happens(10)});
    if (draw_.happens(5)) {
      step_.forbid_replay(outputs.front());
    }
    if (draw_.happens(5)) {
      step_.hold(outputs.front());
    }
    std::vector<int> saved;
    for (const int value : inputs) {
      if (draw_.happens(50)) {
        saved.push_back(value);
      }
    }
    if (draw_.happens(40)) {
      saved.push_back(outputs.back());
    }
    const bool may_be_overwritten = saved.empty() || saved.back() != outputs.back();
    fresh_ = may_be_overwritten ? outputs.back() : -1;
    add_node(outputs.back(), inputs, saved);
    known_.insert(known_.end(), outputs.begin(), outputs.end());
  }

  // The version before cannot be read any more.
  void overwrite() {
    const int other = known_.front();
    const int before = std::exchange(fresh_, -1);
    const int after = step_.overwrite(before, "op_", {other}, cost_us());
    add_node(after, {before}, draw_.happens(50) ? std::vector<int>{after} : std::vector<int>{});
    known_.back() = after;
  }

  void add_node(int output, const std::vector<int>& inputs, const std::vector<int>& saved) {
    step_.node({.name = "Node" + std::to_string(draw_.below(8)),
                .output = output,
                .inputs = inputs,
                .saved = saved,
                .cost_us = 2 * cost_us(),
                .parameter_bytes = draw_.happens(30) ? draw_.size(sizes_.most_bytes) : 0,
                .scratch_bytes = draw_.happens(30) ? draw_.size(sizes_.most_bytes) : 0});
  }

  // Real backgrounds follow no rule that a planner could lean on.
  void vary(Background& background) {
    for (std::int64_t* bytes : {&background.replaying, &background.running, &background.after}) {
      *bytes += draw_.happens(20) ? draw_.size(sizes_.most_bytes) : 0;
    }
  }

  RandomSizes sizes_;
  Draw draw_;
  StepBuilder step_;
  std::vector<int> known_;
  int fresh_ = -1;  // the latest result, if nothing has read it yet
};

}  // namespace

Program generate_random(const RandomSizes& sizes) {
  require_at_least("generate_random", "ops", sizes.ops, 1);
  require_at_least("generate_random", "most_bytes", sizes.most_bytes, 1);
  require_countable("generate_random", {sizes.most_bytes});
  return RandomStep(sizes).make();
}

}  // namespace reprise::plan
