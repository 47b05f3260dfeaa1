// SPDX-License-Identifier: Apache-2.0
// Numbers that tell ops of two recordings apart: what ran, on which values of the recording, seen
// how. Plain numbers among the arguments are left out: a learning rate may change from step to
// step.
#pragma once

#include <cstdint>

#include "reprise/tape/op_record.h"

namespace reprise::tape {

// Equal in one process for equal ops and tensors.
std::uint64_t digest_of(const OpRecord& op);
std::uint64_t digest_of(const TensorRef& ref);

}  // namespace reprise::tape
