// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/saving_nodes.h"

#include <ATen/SequenceNumber.h>
#include <torch/csrc/autograd/node.h>

namespace reprise::tape {

bool is_result_of_newest_node(const at::Tensor& tensor) {
  const auto& maker = tensor.grad_fn();
  return maker && maker->sequence_nr() + 1 == at::sequence_number::peek();
}

std::int64_t SavingNodes::current() {
  const std::uint64_t next = at::sequence_number::peek();
  if (node_ < 0 || next != sequence_number_) {
    sequence_number_ = next;
    ++node_;
  }
  return node_;
}

}  // namespace reprise::tape
