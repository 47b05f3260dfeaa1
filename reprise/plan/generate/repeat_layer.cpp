// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/generate/repeat_layer.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

constexpr const char* kPlace = "repeat_layer";

std::size_t at(std::int64_t position) { return static_cast<std::size_t>(position); }

double six_digits(double number) {
  if (number == 0) {
    return 0;
  }
  const double unit = std::pow(10, std::floor(std::log10(std::abs(number))) - 5);
  return std::round(number / unit) * unit;
}

std::vector<int> kept(const std::vector<int>& ids, const std::vector<int>& new_ids) {
  std::vector<int> result;
  for (const int id : ids) {
    if (new_ids[at(id)] >= 0) {
      result.push_back(new_ids[at(id)]);
    }
  }
  return result;
}

Program without_externals(Program program) {
  std::vector<int> new_ids;
  std::vector<Value> values;
  for (Value& value : program.values) {
    new_ids.push_back(value.external ? -1 : static_cast<int>(values.size()));
    if (!value.external) {
      values.push_back(std::move(value));
    }
  }
  program.values = std::move(values);
  for (Recipe& recipe : program.recipes) {
    recipe.inputs = kept(recipe.inputs, new_ids);
    recipe.outputs = kept(recipe.outputs, new_ids);
    recipe.ops.clear();
  }
  for (Use& use : program.uses) {
    use.needs = kept(use.needs, new_ids);
  }
  return program;
}

void check_shape(const Program& program, const LayerShape& shape, const LayerRepeat& repeat) {
  require_at_least(kPlace, "shape.layers", shape.layers, 2);
  using Part = std::pair<const char*, std::pair<std::int64_t, std::size_t>>;
  const std::array<Part, 4> parts = {{{"shape.ops", {shape.ops, program.forward_peak_bytes.size()}},
                                      {"shape.values", {shape.values, program.values.size()}},
                                      {"shape.recipes", {shape.recipes, program.recipes.size()}},
                                      {"shape.uses", {shape.uses, program.uses.size()}}}};
  for (const auto& [name, part] : parts) {
    require_at_least(kPlace, name, part.first, 1);
    require_at_most(kPlace, name, part.first,
                    static_cast<std::int64_t>(part.second) / shape.layers);
  }
  require_at_least(kPlace, "first", repeat.first, 0);
  require_at_least(kPlace, "last", repeat.last, 0);
  require_at_most(kPlace, "last", repeat.last, shape.layers);
  require_at_least(kPlace, "layer", repeat.layer, 1);
  require_at_most(kPlace, "layer", repeat.layer, shape.layers - 2);
  require_at_most(kPlace, "first", repeat.first, repeat.layer);
  require_at_least(kPlace, "layers", repeat.layers, repeat.first + repeat.last + 1);
}

// Copies layers; each knows how far its ops, values and recipes move.
class Repeater {
 public:
  Repeater(const Program& program, const LayerShape& shape, const LayerRepeat& repeat)
      : from_(program), shape_(shape), repeat_(repeat) {}

  Program make() {
    made_.name = from_.name + "x" + std::to_string(repeat_.layers);
    made_.device = from_.device;
    const double growth = static_cast<double>(repeat_.layers) / static_cast<double>(shape_.layers);
    made_.step_us = six_digits(from_.step_us * growth);
    made_.forward_us = six_digits(from_.forward_us * growth);
    made_.resident_bytes = from_.resident_bytes;
    made_.replay_overhead_us = from_.replay_overhead_us;
    made_.use_overhead_us = from_.use_overhead_us;
    for (std::int64_t layer = 0; layer < repeat_.layers; ++layer) {
      add_layer(layer);
    }
    // What lies behind the layers moves with the last.
    shift_ = repeat_.layers - shape_.layers;
    add_forward(shape_.layers * shape_.ops, from_.ops(), shape_.layers * shape_.values,
                static_cast<std::int64_t>(from_.values.size()), shape_.layers * shape_.recipes,
                static_cast<std::int64_t>(from_.recipes.size()));
    const std::int64_t head =
        static_cast<std::int64_t>(from_.uses.size()) - shape_.layers * shape_.uses;
    add_uses(0, head, 0);
    for (std::int64_t layer = repeat_.layers - 1; layer >= 0; --layer) {
      const std::int64_t source = source_of(layer);
      shift_ = layer - source;
      // Layers that backward had still ahead in the recording, and has here.
      const std::int64_t passed_here = repeat_.layers - 1 - layer;
      const std::int64_t passed_there = shape_.layers - 1 - source;
      const std::int64_t first = head + passed_there * shape_.uses;
      add_uses(first, first + shape_.uses, passed_here - passed_there);
    }
    require_valid(made_, kPlace);
    return std::move(made_);
  }

 private:
  std::int64_t source_of(std::int64_t layer) const {
    if (layer < repeat_.first) {
      return layer;
    }
    const std::int64_t behind = repeat_.layers - layer;
    return behind <= repeat_.last ? shape_.layers - behind : repeat_.layer;
  }

  void add_layer(std::int64_t layer) {
    const std::int64_t source = source_of(layer);
    shift_ = layer - source;
    add_forward(source * shape_.ops, (source + 1) * shape_.ops, source * shape_.values,
                (source + 1) * shape_.values, source * shape_.recipes,
                (source + 1) * shape_.recipes);
  }

  void add_forward(std::int64_t op, std::int64_t ops_end, std::int64_t value,
                   std::int64_t values_end, std::int64_t recipe, std::int64_t recipes_end) {
    for (; op < ops_end; ++op) {
      made_.forward_peak_bytes.push_back(from_.forward_peak_bytes[at(op)]);
    }
    for (; value < values_end; ++value) {
      Value copy = from_.values[at(value)];
      copy.made_at += shift_ * shape_.ops;
      copy.released_at += shift_ * shape_.ops;
      copy.recipe += copy.recipe == kNoRecipe ? 0 : static_cast<int>(shift_ * shape_.recipes);
      made_.values.push_back(std::move(copy));
    }
    for (; recipe < recipes_end; ++recipe) {
      Recipe copy = from_.recipes[at(recipe)];
      move(copy.inputs);
      move(copy.outputs);
      made_.recipes.push_back(std::move(copy));
    }
  }

  void add_uses(std::int64_t use, std::int64_t end, std::int64_t layers_more) {
    for (; use < end; ++use) {
      Use copy = from_.uses[at(use)];
      move(copy.needs);
      if (layers_more != 0) {
        grow(copy.background_bytes, use_of_repeated(use), layers_more);
      }
      made_.uses.push_back(std::move(copy));
    }
  }

  // The same use of the repeated layer, and by what its background differs from the layer's before
  // it in backward.
  std::int64_t use_of_repeated(std::int64_t use) const {
    const std::int64_t head =
        static_cast<std::int64_t>(from_.uses.size()) - shape_.layers * shape_.uses;
    return head + (shape_.layers - 1 - repeat_.layer) * shape_.uses + (use - head) % shape_.uses;
  }

  void grow(Background& background, std::int64_t repeated, std::int64_t layers) const {
    const Background& here = from_.uses[at(repeated)].background_bytes;
    const Background& before = from_.uses[at(repeated - shape_.uses)].background_bytes;
    background.replaying += layers * (here.replaying - before.replaying);
    background.running += layers * (here.running - before.running);
    background.after += layers * (here.after - before.after);
  }

  void move(std::vector<int>& values) const {
    for (int& value : values) {
      value += static_cast<int>(shift_ * shape_.values);
    }
  }

  const Program& from_;
  LayerShape shape_;
  LayerRepeat repeat_;
  std::int64_t shift_ = 0;  // layers
  Program made_;
};

}  // namespace

Program repeat_layer(const Program& program, const LayerShape& shape, const LayerRepeat& repeat) {
  require_valid(program, kPlace);
  const Program bare = without_externals(program);
  check_shape(bare, shape, repeat);
  return Repeater(bare, shape, repeat).make();
}

}  // namespace reprise::plan
