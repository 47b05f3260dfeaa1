// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/autocast_scope.h"

#include <ATen/autocast_mode.h>

namespace reprise::zoo {

AutocastScope::AutocastScope(bool is_on)
    : is_on_(is_on),
      was_on_(at::autocast::is_autocast_enabled(at::kCPU)),
      outer_dtype_(at::autocast::get_autocast_dtype(at::kCPU)) {
  if (is_on_) {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::increment_nesting();
  }
}

AutocastScope::~AutocastScope() {
  if (is_on_) {
    if (at::autocast::decrement_nesting() == 0) {
      at::autocast::clear_cache();
    }
    at::autocast::set_autocast_enabled(at::kCPU, was_on_);
    at::autocast::set_autocast_dtype(at::kCPU, outer_dtype_);
  }
}

}  // namespace reprise::zoo
