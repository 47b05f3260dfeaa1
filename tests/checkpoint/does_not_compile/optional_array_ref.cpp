// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "reprise/checkpoint.h"

void take(const at::Tensor& x) {
  reprise::checkpoint([](std::optional<at::TensorList> list) { return (*list)[0]; },
                      std::optional<at::TensorList>(x));
}
