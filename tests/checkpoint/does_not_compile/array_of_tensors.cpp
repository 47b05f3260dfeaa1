// SPDX-License-Identifier: Apache-2.0
#include "reprise/checkpoint.h"

void take(const at::Tensor& x) {
  const at::Tensor both[] = {x, x};  // NOLINT(modernize-avoid-c-arrays)
  reprise::checkpoint([](const at::Tensor* tensors) { return tensors[1]; }, both);
}
