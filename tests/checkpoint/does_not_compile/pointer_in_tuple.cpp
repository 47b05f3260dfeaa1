// SPDX-License-Identifier: Apache-2.0
#include <tuple>

#include "reprise/checkpoint.h"

void take(const at::Tensor& x) {
  reprise::checkpoint([](std::tuple<int, const at::Tensor*> pair) { return *std::get<1>(pair); },
                      std::tuple<int, const at::Tensor*>(1, &x));
}
