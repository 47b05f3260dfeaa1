// SPDX-License-Identifier: Apache-2.0
#include <vector>
#include <torch/torch.h>

at::Tensor tensor;
