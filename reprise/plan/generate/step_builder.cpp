// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/generate/step_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "reprise/plan/argument_error.h"
#include "reprise/plan/checks.h"
#include "reprise/plan/index.h"

namespace reprise::plan {
namespace {

constexpr double kAnyOpUs = 2;
constexpr double kBytesPerUs = 8e3;
constexpr double kFlopsPerUs = 60e3;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 58;
constexpr double kMostElements = 1125899906842624;  // 2^50

// A tenth of a nanosecond is more than any clock tells, and short in a file.
double rounded_us(double us) { return static_cast<double>(std::llround(us * 1e4)) / 1e4; }

}  // namespace

double moving_us(std::int64_t bytes) {
  return rounded_us(kAnyOpUs + static_cast<double>(bytes) / kBytesPerUs);
}

double multiplying_us(double flops) { return rounded_us(kAnyOpUs + flops / kFlopsPerUs); }

void require_countable(const char* place, std::initializer_list<std::int64_t> sizes) {
  double elements = 1;
  for (const std::int64_t size : sizes) {
    elements *= static_cast<double>(size);
  }
  require_small_sizes(place, elements, kMostElements, "2^50 elements in a tensor");
}

StepBuilder::StepBuilder(std::string name) { program_.name = std::move(name); }

void StepBuilder::set_label(std::string label) { label_ = std::move(label); }

int StepBuilder::external() {
  program_.values.push_back({.external = true, .label = label_});
  storage_of_.push_back(-1);
  return static_cast<int>(program_.values.size()) - 1;
}

std::int64_t StepBuilder::bytes(int value) const { return program_.values[index(value)].bytes; }

void StepBuilder::count(std::int64_t bytes) {
  if (bytes > kMostBytes - total_bytes_) {
    throw ArgumentError("generate", "sizes", "small enough for at most 2^58 bytes in all", "more");
  }
  total_bytes_ += bytes;
}

void StepBuilder::read(const std::vector<int>& values) {
  for (const int value : values) {
    if (storage_of_[index(value)] >= 0) {
      storages_[index(storage_of_[index(value)])].last_op = program_.ops();
    }
  }
}

int StepBuilder::new_version(int storage, int recipe) {
  program_.values.push_back({.bytes = storages_[index(storage)].bytes,
                             .made_at = program_.ops(),
                             .recipe = recipe,
                             .label = label_,
                             .dtype = "float"});
  storage_of_.push_back(storage);
  return static_cast<int>(program_.values.size()) - 1;
}

std::vector<int> StepBuilder::run(BuiltOp op) {
  read(op.inputs);
  const auto recipe = static_cast<int>(program_.recipes.size());
  std::vector<int> outputs;
  count(op.scratch_bytes);
  for (const std::int64_t bytes : op.output_bytes) {
    count(bytes);
    storages_.push_back({.bytes = bytes, .first_op = program_.ops(), .last_op = program_.ops()});
    outputs.push_back(new_version(static_cast<int>(storages_.size()) - 1, recipe));
  }
  const std::int64_t made =
      std::accumulate(op.output_bytes.begin(), op.output_bytes.end(), std::int64_t{0});
  program_.recipes.push_back({.name = std::move(op.name),
                              .inputs = std::move(op.inputs),
                              .outputs = outputs,
                              .ops = {program_.ops()},
                              .cost_us = op.cost_us,
                              .transient_bytes = made + op.scratch_bytes,
                              .random = op.random,
                              .label = label_});
  program_.forward_us += op.cost_us;
  scratch_bytes_.push_back(op.scratch_bytes);
  program_.forward_peak_bytes.push_back(0);
  return outputs;
}

int StepBuilder::overwrite(int value, std::string name, const std::vector<int>& inputs,
                           double cost_us) {
  read(inputs);
  read({value});
  const int recipe_id = program_.values[index(value)].recipe;
  const int version = new_version(storage_of_[index(value)], recipe_id);
  Recipe& recipe = program_.recipes[index(recipe_id)];
  recipe.name = std::move(name);
  recipe.cost_us += cost_us;
  recipe.ops.push_back(program_.ops());
  for (const int input : inputs) {
    if (std::find(recipe.inputs.begin(), recipe.inputs.end(), input) == recipe.inputs.end()) {
      recipe.inputs.push_back(input);
    }
  }
  std::replace(recipe.outputs.begin(), recipe.outputs.end(), value, version);
  program_.values[index(value)].recipe = kNoRecipe;
  program_.forward_us += cost_us;
  scratch_bytes_.push_back(0);
  program_.forward_peak_bytes.push_back(0);
  return version;
}

void StepBuilder::node(BuiltNode node) {
  count(node.parameter_bytes);
  count(node.scratch_bytes);
  nodes_.push_back(std::move(node));
  node_labels_.push_back(label_);
}

void StepBuilder::hold(int value) {
  if (storage_of_[index(value)] >= 0) {
    storages_[index(storage_of_[index(value)])].is_held = true;
  }
}

void StepBuilder::forbid_replay(int value) {
  const int recipe = program_.values[index(value)].recipe;
  if (recipe != kNoRecipe) {
    program_.recipes[index(recipe)].replayable = false;
  }
}

void StepBuilder::add_forward() {
  const std::int64_t ops = program_.ops();
  std::vector<std::int64_t> step(static_cast<std::size_t>(ops) + 1);
  for (const Storage& storage : storages_) {
    step[static_cast<std::size_t>(storage.first_op)] += storage.bytes;
    if (storage.is_held) {
      program_.resident_bytes += storage.bytes;
    } else {
      step[static_cast<std::size_t>(storage.last_op) + 1] -= storage.bytes;
    }
  }
  std::int64_t live_bytes = 0;
  for (std::size_t op = 0; op < program_.forward_peak_bytes.size(); ++op) {
    live_bytes += step[op];
    program_.forward_peak_bytes[op] = live_bytes + scratch_bytes_[op];
  }
  for (std::size_t value = 0; value < program_.values.size(); ++value) {
    if (storage_of_[value] >= 0) {
      const Storage& storage = storages_[index(storage_of_[value])];
      program_.values[value].released_at = storage.is_held ? ops : storage.last_op;
    }
  }
}

void StepBuilder::add_backward(int loss) {
  std::vector<char> has_gradient(program_.values.size());
  has_gradient[index(loss)] = 1;
  std::int64_t live_bytes = bytes(loss);
  program_.step_us = program_.forward_us;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    BuiltNode& node = nodes_[i];
    if (has_gradient[index(node.output)] == 0) {
      continue;
    }
    const std::int64_t before = live_bytes;
    std::int64_t made = node.parameter_bytes;
    std::int64_t passing = node.scratch_bytes;  // gone after it
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const int input = node.inputs[k];
      if (program_.values[index(input)].external) {
        continue;
      }
      const bool is_the_outputs = node.passes_on && k == 0;
      if (has_gradient[index(input)] != 0) {
        passing += is_the_outputs ? 0 : bytes(input);
      } else {
        made += bytes(input);
        passing -= is_the_outputs ? bytes(input) : 0;
        has_gradient[index(input)] = 1;
      }
    }
    const std::int64_t running = before + made + std::max<std::int64_t>(passing, 0);
    live_bytes += made - bytes(node.output);
    has_gradient[index(node.output)] = 0;
    program_.step_us += node.cost_us;
    if (!node.saved.empty()) {
      program_.uses.push_back(
          {.name = std::move(node.name),
           .needs = std::move(node.saved),
           .cost_us = node.cost_us,
           .background_bytes = {.replaying = before, .running = running, .after = live_bytes},
           .label = std::move(node_labels_[i])});
    } else if (!program_.uses.empty()) {
      std::int64_t& after = program_.uses.back().background_bytes.after;
      after = std::max({after, running, live_bytes});
    }
  }
}

Program StepBuilder::finish(int loss) {
  hold(loss);
  add_forward();
  add_backward(loss);
  program_.forward_us = rounded_us(program_.forward_us);
  program_.step_us = rounded_us(program_.step_us);
  require_valid(program_, "generate");
  return std::move(program_);
}

}  // namespace reprise::plan
