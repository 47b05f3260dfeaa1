// SPDX-License-Identifier: Apache-2.0
// One measured training step, and the loop in which a bench program takes commands.
//
// A bench that compares two processes drives both over their standard streams: one command a line,
// one JSON object a line in answer. bench/peer/step.py is the same for Python.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <nlohmann/json_fwd.hpp>

namespace reprise {
class MemoryBudget;
}  // namespace reprise

namespace reprise::bench {

// What one forward and backward took. Bytes count from what was live when the step began.
struct Step {
  double wall_ms = 0;
  double cpu_ms = 0;               // of all threads of the process
  std::int64_t peak_bytes = 0;     // most bytes of tensors at any time
  std::int64_t residue_bytes = 0;  // bytes of tensors once the loss is there, before backward
  std::int64_t heap_bytes = 0;     // all of malloc's bytes then; 0 unless asked for
  double loss = 0;
};

struct StepOptions {
  MemoryBudget* budget = nullptr;  // that the step is a step of; null: none
  bool sees_heap = false;          // costs time, so such steps are not for timing
};

// Runs `forward`, which returns the loss, and backward.
Step measure_step(const std::function<at::Tensor()>& forward, const StepOptions& options = {});

nlohmann::json to_json(const Step& step);

// Answers a command, split at spaces, with a JSON object. May throw: the program then ends with the
// message, and so does the bench that drives it.
using Answer = std::function<nlohmann::json(const std::vector<std::string>& words)>;

// Says which libtorch this process runs on, then answers lines of standard input until it ends.
// Returns the exit status of the program.
int answer_commands(const Answer& answer);

// True if `word` is among the words of a command.
bool has_word(const std::vector<std::string>& words, const std::string& word);

}  // namespace reprise::bench
