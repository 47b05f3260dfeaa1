// SPDX-License-Identifier: Apache-2.0
// bfloat16 autocast on the CPU, while one exists, if it is asked for.
#pragma once

#include <c10/core/ScalarType.h>

namespace reprise::zoo {

class AutocastScope {
 public:
  explicit AutocastScope(bool is_on);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  bool is_on_;
  bool was_on_;
  at::ScalarType outer_dtype_;
};

}  // namespace reprise::zoo
