// SPDX-License-Identifier: Apache-2.0
// A chain of unequal stages with their bytes and times, and what an action list costs on it.
//
// The model of Beaumont et al. 2019 (rotor.h): stage i turns state i into state i + 1. Its record,
// everything that its backward needs beside state i, contains state i + 1. Backward of stage i
// turns the gradient of state i + 1, as large as that state, into the gradient of state i.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reprise/plan/chain/actions.h"

namespace reprise::plan {

// One way to run a stage so that it can be reversed: keep everything, recompute some of it inside
// the stage, compress it, and so on.
struct StageOption {
  double forward_us = 0;                      // with the record kept
  double backward_us = 0;                     // recomputation inside the stage included
  std::int64_t saved_bytes = 0;               // the record; at least the stage's output
  std::int64_t forward_transient_bytes = 0;   // most beyond input, record and gradient
  std::int64_t backward_transient_bytes = 0;  // most beyond input, record and both gradients

  bool operator==(const StageOption&) const = default;
};

struct Stage {
  double forward_us = 0;             // with nothing kept but the output
  std::int64_t output_bytes = 0;     // of state i + 1
  std::int64_t transient_bytes = 0;  // most beyond input, output and gradient
  std::vector<StageOption> options;  // at least one

  bool operator==(const Stage&) const = default;
};

// `input_bytes` is state 0: held to the end, as is the gradient of the last output from the start.
// A chain that ends in a loss has a last stage of no output and no cost.
struct Chain {
  std::int64_t input_bytes = 0;
  std::vector<Stage> stages;

  bool operator==(const Chain&) const = default;
};

// Throws std::invalid_argument, beginning with `place`, unless there is a stage, each has an
// option, times are finite, nothing is negative, records hold their outputs, and all bytes together
// fit an std::int64_t.
void require_valid(const Chain& chain, const char* place);

// Bytes of state `state`, 0 to the number of stages; as many as of its gradient.
std::int64_t state_bytes(const Chain& chain, std::int64_t state);

// The least time in which every stage runs once and is reversed.
double plain_us(const Chain& chain);

struct ChainUsage {
  double time_us = 0;           // all forwards and backwards
  std::int64_t peak_bytes = 0;  // state 0 and all gradients included
  std::size_t peak_action = 0;  // the first that reaches the peak
};

// Executes `actions` (execute.h, its rule record_holds_output, one level without limit) and sweeps
// their bytes: states and records that are held, the live state unless it is held, the gradient
// that backward has reached, and each action's own needs. A record in the working memory keeps its
// stage's input too. O(actions * log(held) + steps advanced).
// Throws std::invalid_argument if the chain or the actions are not valid or an option does not
// exist.
ChainUsage simulate_chain(const Chain& chain, const std::vector<Action>& actions);

}  // namespace reprise::plan
