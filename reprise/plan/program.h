// SPDX-License-Identifier: Apache-2.0
// One recorded training step as a planner sees it: the values that forward made, what can make them
// again, and where backward needs them. docs/file_formats.md has the same as JSON.
//
// Ids are positions in the vectors below. Sizes are bytes, times are microseconds. All bytes count
// from what was live when the step began.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise::plan {

// The recipe of a value that nothing can rebuild.
inline constexpr int kNoRecipe = -1;

// One version of one storage.
struct Value {
  std::int64_t bytes = 0;
  bool external = false;     // a parameter, an input: always there, never counted
  std::int64_t made_at = 0;  // the forward op that produced it
  // The last forward op during which user code itself holds what forward made of it. From the slot
  // after that op on it is charged, up to its last reading before a replay makes it anew; not at
  // all if nothing in backward reads it. As many as there are ops, or more: user code holds it
  // through backward, and `resident_bytes` has its bytes.
  std::int64_t released_at = 0;
  int recipe = kNoRecipe;  // the recipe that can rebuild it
  std::string label = {};  // for people, as `shape` and `dtype` are
  std::vector<std::int64_t> shape = {};
  std::string dtype = {};
};

// What a replay can run: one op, or a chain of ops of which in-place ones overwrite earlier ones.
// An input may be *made later* in forward than an output, so recipes are ordered by their
// dependencies, never by `made_at`.
struct Recipe {
  std::string name = {};
  std::vector<int> inputs = {};   // values
  std::vector<int> outputs = {};  // values; each names this recipe as its own
  std::vector<std::int64_t> ops = {};
  double cost_us = 0;
  std::int64_t transient_bytes = 0;  // most bytes that appear while it runs, outputs included
  bool random = false;
  bool replayable = true;
  std::string label = {};
};

// The bytes around a use that no plan controls: gradients and temporaries.
struct Background {
  std::int64_t replaying = 0;  // while recipes run before it
  std::int64_t running = 0;    // most while the node runs
  std::int64_t after = 0;      // most after it, until the next use

  bool operator==(const Background&) const = default;
};

// An autograd node that unpacks saved values. Uses are in the order of backward.
struct Use {
  std::string name = {};
  std::vector<int> needs = {};  // values
  double cost_us = 0;
  Background background_bytes = {};
  std::string label = {};
};

struct Program {
  std::string name;
  std::string device = "cpu";
  double step_us = 0;               // the whole step with every value kept
  double forward_us = 0;            // its forward part
  std::int64_t resident_bytes = 0;  // values held through backward, never charged one by one
  std::vector<std::int64_t> forward_peak_bytes;  // per forward op, with nothing kept for backward
  std::vector<Value> values;
  std::vector<Recipe> recipes;
  std::vector<Use> uses;
  // The executor's own time per replayed recipe, and per use. 0 in recorded steps: there costs and
  // `step_us` have it, once replays have been timed (profile/retimed_program.h).
  double replay_overhead_us = 0;
  double use_overhead_us = 0;

  std::int64_t ops() const { return static_cast<std::int64_t>(forward_peak_bytes.size()); }
  // User code holds it through backward: its bytes are part of `resident_bytes`.
  bool is_held(const Value& value) const { return value.released_at >= ops(); }
  // The bytes of what forward made of it are charged: it is neither external nor held.
  bool is_counted(const Value& value) const { return !value.external && !is_held(value); }
};

// What is wrong with a program, and where: "values[3].bytes", "must not be negative, got -1".
struct ProgramFault {
  std::string path;
  std::string what;

  bool operator==(const ProgramFault&) const = default;
};

// The first of these that does not hold, in the order of the struct: sizes and times are finite and
// not negative; every id exists; a value that is not external is made at an op of the program and
// released no earlier; an external one has no recipe; a recipe lists exactly the values that name
// it; no list of ids has one twice; no recipe depends on its own output through others. O(size).
std::optional<ProgramFault> find_fault(const Program& program);

// Throws std::invalid_argument, beginning with `place`, if find_fault() finds one.
void require_valid(const Program& program, const std::string& place);

}  // namespace reprise::plan
