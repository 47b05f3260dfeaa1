// SPDX-License-Identifier: Apache-2.0
// What a plan for a chain of steps does, one action at a time: the common language of all chain
// planners, and what execute.h checks.
//
// Step i turns state i into state i + 1; backward reverses the steps from the last to the first.
// One state is live (in the working memory); others can be held in storage levels, fastest first.
// Whoever reverses step i needs its record: what the step's own forward leaves for its backward.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::plan {

enum class ActionKind {
  kAdvance,   // runs steps [at, to) and records nothing: live state at -> to
  kSnapshot,  // writes live state `at` into `level`
  kRestore,   // reads state `at` from `level`: it is live now, and still held
  kDiscard,   // frees state `at` in `level`
  kRecord,    // runs step `at` and keeps its record in `level`: live state at -> at + 1
  kReverse,  // reverses step `at` with its record in `level`, which is freed; nothing is live after
};

// The working memory, which has room for one record and is not counted.
inline constexpr int kWork = -1;

struct Action {
  ActionKind kind = ActionKind::kAdvance;
  std::int64_t at = 0;
  std::int64_t to = 0;  // kAdvance only
  int level = 0;
  int option = 0;  // kRecord only: which of its stage's options is run (rotor.h)

  bool operator==(const Action&) const = default;
};

Action advance(std::int64_t from, std::int64_t to);
Action snapshot(std::int64_t state, int level = 0);
Action restore(std::int64_t state, int level = 0);
Action discard(std::int64_t state, int level = 0);
Action record(std::int64_t step, int level = kWork, int option = 0);
Action reverse(std::int64_t step, int level = kWork);

// "advance 0-4", "snapshot 4", "restore 4", "record 9"; a level and an option are named if they are
// not the defaults above: "snapshot 4 in level 1".
std::string text(const Action& action);
// The same for a list, ", " between actions; a record and its reverse in the working memory are one
// "turn 9".
std::string text(const std::vector<Action>& actions);

}  // namespace reprise::plan
