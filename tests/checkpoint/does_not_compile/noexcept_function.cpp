// SPDX-License-Identifier: Apache-2.0
#include "reprise/checkpoint.h"

void take(const at::Tensor& x) {
  reprise::checkpoint([](const at::Tensor& t) noexcept { return t; }, x);
}
