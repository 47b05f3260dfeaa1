// SPDX-License-Identifier: Apache-2.0
// Kernels on kTapeKey for the ops that training steps run most. They do what the fallback does
// without its detour: arguments are shown to the frames and then passed on as they came, where a
// boxed call makes them anew on its way down, and the results on their way back.
#pragma once

namespace reprise::tape {

// Registers them, once; for the rest of the process.
void install_op_kernels();

}  // namespace reprise::tape
