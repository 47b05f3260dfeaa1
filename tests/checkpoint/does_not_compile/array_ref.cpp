// SPDX-License-Identifier: Apache-2.0
#include "reprise/checkpoint.h"

void take(const at::Tensor& x) {
  reprise::checkpoint([](at::TensorList list) { return list[0]; }, at::TensorList(x));
}
