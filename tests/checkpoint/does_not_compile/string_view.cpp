// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "reprise/checkpoint.h"

void take(const at::Tensor& x, std::string_view name) {
  reprise::checkpoint([](const at::Tensor& t, std::string_view /*name*/) { return t; }, x, name);
}
