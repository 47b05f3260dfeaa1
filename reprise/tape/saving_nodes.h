// SPDX-License-Identifier: Apache-2.0
// Which node of the graph a value is being saved for, while autograd builds it.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace reprise::tape {

// Whether the node under construction, the newest of the thread, made the tensor: then the tensor
// is a result of the op that has just run, else an argument of the one that is about to.
bool is_result_of_newest_node(const at::Tensor& tensor);

// Numbers the nodes of a run that save values. Two runs that save alike have alike numbers, also
// if one of them makes more nodes that save nothing (a cast that autocast had cached).
class SavingNodes {
 public:
  // The node, counted from 0, that a value is being saved for.
  std::int64_t current();

 private:
  std::uint64_t sequence_number_ = 0;
  std::int64_t node_ = -1;
};

}  // namespace reprise::tape
