// SPDX-License-Identifier: Apache-2.0
// A number that tells ops of two recordings apart: what ran, on which values of the recording, seen
// how. Numbers among the arguments are left out: a learning rate may change from step to step.
#pragma once

#include <cstdint>

#include "reprise/tape/op_record.h"

namespace reprise::tape {

// `hash`: of all before it. Equal in one process for equal ops.
std::uint64_t hash_on(std::uint64_t hash, const OpRecord& op);
std::uint64_t hash_on(std::uint64_t hash, const TensorRef& ref);

}  // namespace reprise::tape
