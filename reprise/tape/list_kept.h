// SPDX-License-Identifier: Apache-2.0
// What a tape keeps, item by item: for kept_value.h.
#pragma once

#include <vector>

#include "reprise/tape/kept_value.h"
#include "reprise/tape/tape.h"

namespace reprise::tape {

// What the ops of `tape` from `first` on, and the values that autograd has `saved` of them, keep
// from forward to backward; `by_policy` on top of that. In the order in which it came up.
std::vector<KeptValue> list_kept(const Tape& tape, OpId first, const std::vector<TensorRef>& saved,
                                 const std::vector<ValueId>& by_policy);

}  // namespace reprise::tape
