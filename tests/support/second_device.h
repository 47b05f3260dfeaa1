// SPDX-License-Identifier: Apache-2.0
// A second device in the process: its memory is the host's, counted by itself, and its ops run on
// the CPU, but its random numbers come from generators of its own. Backward has a thread for it, as
// for a GPU.
//
// Linking second_device.cpp registers it with torch. Random ops: dropout, bernoulli_ and uniform_
// of contiguous double tensors.
#pragma once

#include <cstdint>

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

namespace reprise::support {

// What the state of one of its generators takes.
inline constexpr std::int64_t kSecondGeneratorBytes = 16;

c10::Device second_device();
at::Generator make_second_generator(std::uint64_t seed);

}  // namespace reprise::support
