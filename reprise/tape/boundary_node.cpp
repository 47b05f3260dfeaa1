// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/boundary_node.h"

namespace reprise::tape {
namespace {

struct Boundary final : torch::autograd::Node {
  torch::autograd::variable_list apply(torch::autograd::variable_list&& /*grads*/) override {
    return {};
  }
};

}  // namespace

c10::intrusive_ptr<torch::autograd::Node> make_boundary() {
  return c10::make_intrusive<Boundary>();
}

}  // namespace reprise::tape
