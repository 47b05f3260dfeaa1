// SPDX-License-Identifier: Apache-2.0
// Puts a program together as a recorder would: forward ops one after the other, each with the node
// that autograd would make of it. Lifetimes, peaks and the background of backward follow.
//
// 1. A value is released after the last op that reads it, unless it is held.
// 2. Backward runs the nodes of those ops that the loss depends on, last first. A node needs the
//    gradient of its output and makes one per input; a second gradient of a value is added to the
//    first. Gradients of parameters stay to the end. A node that saves nothing is no use.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "reprise/plan/program.h"

namespace reprise::plan {

// Times as a CPU core takes them, roughly: what moves bytes at 8 GB/s, what multiplies at 60
// GFLOP/s, and the time that any op takes.
double moving_us(std::int64_t bytes);
double multiplying_us(double flops);

// Throws std::invalid_argument, beginning with `place`, if the product of all `sizes` (each at
// least 1) is more than the elements of any tensor that this layer reckons with, 2^50.
void require_countable(const char* place, std::initializer_list<std::int64_t> sizes);

struct BuiltOp {
  std::string name = {};
  std::vector<int> inputs = {};
  std::vector<std::int64_t> output_bytes = {};
  double cost_us = 0;
  std::int64_t scratch_bytes = 0;  // beyond its outputs, while it runs
  bool random = false;
};

struct BuiltNode {
  std::string name = {};
  int output = 0;                // whose gradient it takes
  std::vector<int> inputs = {};  // whose gradients it makes
  std::vector<int> saved = {};   // what it unpacks
  double cost_us = 0;
  std::int64_t parameter_bytes = 0;  // gradients that stay
  std::int64_t scratch_bytes = 0;
  bool passes_on = false;  // the first input's gradient is the output's, unchanged
};

class StepBuilder {
 public:
  explicit StepBuilder(std::string name);

  // Of the ops, values and nodes that follow: "blocks.3.attention".
  void set_label(std::string label);

  int external();
  // The values that it makes, in the order of `output_bytes`. This and node() throw
  // std::invalid_argument if all sizes together exceed 2^58 bytes.
  std::vector<int> run(BuiltOp op);
  // An op that overwrites `value` in place: the new version, made by one recipe of both ops.
  // REQUIRES: no op has read `value`, and it is not external.
  int overwrite(int value, std::string name, const std::vector<int>& inputs, double cost_us);
  // Of the latest op; backward runs it in its turn.
  void node(BuiltNode node);
  // User code holds it through backward.
  void hold(int value);
  // The recipe that makes `value` must not run again.
  void forbid_replay(int value);

  std::int64_t bytes(int value) const;

  // Backward begins with the gradient of `loss`. Throws std::invalid_argument if the program is too
  // large to be valid (find_fault()).
  Program finish(int loss);

 private:
  struct Storage {
    std::int64_t bytes = 0;
    std::int64_t first_op = 0;
    std::int64_t last_op = 0;
    bool is_held = false;
  };

  void count(std::int64_t bytes);
  void read(const std::vector<int>& values);
  int new_version(int storage, int recipe);
  void add_forward();
  void add_backward(int loss);

  Program program_;
  std::string label_;
  std::vector<int> storage_of_;  // per value; -1: external
  std::vector<Storage> storages_;
  std::vector<std::int64_t> scratch_bytes_;  // per op
  std::vector<BuiltNode> nodes_;
  std::vector<std::string> node_labels_;
  std::int64_t total_bytes_ = 0;  // so that no sum of sizes overflows
};

}  // namespace reprise::plan
