// SPDX-License-Identifier: Apache-2.0
// EngineWatch: tells the ops of autograd's engine from those of the nodes that it runs.
#pragma once

#include <ATen/record_function.h>

namespace reprise::profile {

// Of this thread, while it exists.
class EngineWatch {
 public:
  EngineWatch();
  ~EngineWatch();
  EngineWatch(const EngineWatch&) = delete;
  EngineWatch& operator=(const EngineWatch&) = delete;

  // A backward is under way and none of its nodes is: what runs now adds gradients up.
  static bool is_between_nodes();

 private:
  at::CallbackHandle handle_;
};

}  // namespace reprise::profile
