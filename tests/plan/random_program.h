// SPDX-License-Identifier: Apache-2.0
// Small programs with everything that recorded ones have: chains of in-place ops, several outputs,
// skips, values that user code holds, transient bytes, backgrounds, values of no bytes, recipes
// that must not run again, values without a recipe, inputs that are made later than an output.
// All times are whole numbers, so that sums of them are exact in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reprise/plan/program.h"

namespace reprise::plan {

class RandomProgram {
 public:
  // A program of 2 to `most_ops` forward ops. The same state of `random` gives the same program.
  static Program make(std::mt19937& random, int most_ops = 12) {
    return RandomProgram(random).build(most_ops);
  }

 private:
  explicit RandomProgram(std::mt19937& random) : random_(random) {}

  int number(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  bool chance(int percent) { return number(1, 100) <= percent; }

  Program build(int most_ops) {
    const int ops = number(2, most_ops);
    has_labels_ = chance(60);
    for (int i = number(1, 2); i > 0; --i) {
      program_.values.emplace_back();
      program_.values.back().external = true;
    }
    for (int op = 0; op < ops; ++op) {
      add_op(op);
    }
    release_values(ops);
    read_something_made_later();
    fill_forward(ops);
    add_uses();
    program_.name = "random";
    require_valid(program_, "random_program");
    return std::move(program_);
  }

  void add_op(int op) {
    if (op > 0 && chance(15) && overwrite_last(op)) {
      return;
    }
    if (chance(8)) {  // made by code that nobody recorded
      add_value(op, kNoRecipe);
      return;
    }
    Recipe recipe;
    recipe.name = "op" + std::to_string(number(0, 3));
    recipe.inputs = pick_inputs();
    recipe.ops = {op};
    recipe.cost_us = chance(10) ? 0 : number(1, 9);
    recipe.random = chance(10);
    recipe.replayable = !chance(8);
    recipe.label = has_labels_ ? "block." + std::to_string(op / 3) : "";
    const int id = static_cast<int>(program_.recipes.size());
    const int outputs = chance(75) ? 1 : number(2, 3);
    for (int i = 0; i < outputs; ++i) {
      recipe.outputs.push_back(add_value(op, id));
    }
    program_.recipes.push_back(std::move(recipe));
  }

  // The op writes into what the last recipe made: a longer recipe, a value made later.
  bool overwrite_last(int op) {
    if (program_.recipes.empty() || program_.recipes.back().outputs.size() != 1) {
      return false;
    }
    Recipe& recipe = program_.recipes.back();
    recipe.name += "_";
    recipe.ops.push_back(op);
    recipe.cost_us += number(0, 4);
    value(recipe.outputs.front()).made_at = op;
    return true;
  }

  int add_value(int op, int recipe) {
    Value made;
    made.bytes = chance(12) ? 0 : number(1, 10);
    made.made_at = op;
    made.recipe = recipe;
    program_.values.push_back(std::move(made));
    return static_cast<int>(program_.values.size()) - 1;
  }

  // Mostly what was made last, sometimes anything before.
  std::vector<int> pick_inputs() {
    const int known = static_cast<int>(program_.values.size());
    std::vector<int> inputs;
    for (int i = chance(10) ? 0 : number(1, 3); i > 0; --i) {
      const int input =
          chance(60) ? known - 1 - number(0, std::min(1, known - 1)) : number(0, known - 1);
      if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) {
        inputs.push_back(input);
      }
    }
    return inputs;
  }

  void release_values(int ops) {
    for (Value& made : program_.values) {
      made.released_at = made.made_at;
    }
    for (const Recipe& recipe : program_.recipes) {
      for (const int input : recipe.inputs) {
        value(input).released_at = std::max(value(input).released_at, recipe.ops.back());
      }
    }
    for (Value& made : program_.values) {
      if (made.external) {
        made.released_at = 0;
      } else if (chance(12)) {
        made.released_at = ops + number(0, 2);
        program_.resident_bytes += made.bytes;
      } else if (chance(15)) {
        made.released_at = std::min<std::int64_t>(ops - 1, made.released_at + number(1, 3));
      }
    }
  }

  void read_something_made_later() {
    if (program_.recipes.size() < 2 || !chance(25)) {
      return;
    }
    const int last = static_cast<int>(program_.recipes.size()) - 1;
    const int reader = number(0, last - 1);
    const int input =
        program_.recipes[static_cast<std::size_t>(number(reader + 1, last))].outputs[0];
    std::vector<int>& inputs = program_.recipes[static_cast<std::size_t>(reader)].inputs;
    if (std::find(inputs.begin(), inputs.end(), input) != inputs.end()) {
      return;
    }
    program_.forward_peak_bytes.assign(program_.values.size() + 100, 0);  // only a cycle is a fault
    inputs.push_back(input);
    if (find_fault(program_)) {
      inputs.pop_back();
    }
  }

  void fill_forward(int ops) {
    program_.forward_peak_bytes.assign(static_cast<std::size_t>(ops), 0);
    for (int op = 0; op < ops; ++op) {
      std::int64_t& bytes = program_.forward_peak_bytes[static_cast<std::size_t>(op)];
      bytes = chance(50) ? 0 : number(0, 6);
      for (const Value& made : program_.values) {
        if (!made.external && made.made_at <= op && op <= made.released_at) {
          bytes += made.bytes;
        }
      }
    }
    for (Recipe& recipe : program_.recipes) {
      for (const int output : recipe.outputs) {
        recipe.transient_bytes += value(output).bytes;
      }
      recipe.transient_bytes = chance(10) ? 0 : recipe.transient_bytes + number(0, 5);
      program_.forward_us += recipe.cost_us;
    }
    program_.step_us = 3 * program_.forward_us + 1;
  }

  // One per recipe, in reverse, most of them; each needs some of what the recipe reads and makes.
  void add_uses() {
    for (std::size_t i = program_.recipes.size(); i-- > 0;) {
      if (chance(12) && !(i == 0 && program_.uses.empty())) {
        continue;
      }
      Use use;
      use.name = program_.recipes[i].name + "Backward";
      for (const std::vector<int>* ids :
           {&program_.recipes[i].inputs, &program_.recipes[i].outputs}) {
        for (const int id : *ids) {
          if (chance(65)) {
            add_need(use, id);
          }
        }
      }
      if (chance(12)) {
        add_need(use, number(0, static_cast<int>(program_.values.size()) - 1));
      }
      use.cost_us = number(0, 9);
      use.background_bytes = {number(0, 8), number(0, 12), number(0, 8)};
      program_.uses.push_back(std::move(use));
    }
    if (program_.uses.empty()) {  // no recipe at all
      program_.uses.emplace_back();
      program_.uses.back().name = "NothingBackward";
    }
  }

  static void add_need(Use& use, int id) {
    if (std::find(use.needs.begin(), use.needs.end(), id) == use.needs.end()) {
      use.needs.push_back(id);
    }
  }

  Value& value(int id) { return program_.values[static_cast<std::size_t>(id)]; }

  std::mt19937& random_;
  Program program_;
  bool has_labels_ = false;
};

inline Program random_program(std::mt19937& random, int most_ops = 12) {
  return RandomProgram::make(random, most_ops);
}

}  // namespace reprise::plan
