// SPDX-License-Identifier: Apache-2.0
// A node that stands for whatever made a tensor that a rerun takes from outside and that is no
// leaf.
#pragma once

#include <torch/csrc/autograd/node.h>

namespace reprise::tape {

// A gradient that the region's function itself computes within the rerun may reach the node; it was
// accounted for in the first run and ends here.
c10::intrusive_ptr<torch::autograd::Node> make_boundary();

}  // namespace reprise::tape
