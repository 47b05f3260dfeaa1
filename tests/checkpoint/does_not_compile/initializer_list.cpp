// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include "reprise/checkpoint.h"

void take(const at::Tensor& x) {
  const std::initializer_list<at::Tensor> both = {x, x};
  reprise::checkpoint([](std::initializer_list<at::Tensor> list) { return *list.begin(); }, both);
}
