// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/backward_end.h"

#include <memory>
#include <utility>

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>

namespace reprise::tape {

int current_backward() { return torch::autograd::get_current_graph_task_id(); }

void at_end_of_backward(std::function<void()> end) {
  // The engine calls such callbacks only if all went well, but it destroys them in any case.
  auto owner = std::shared_ptr<void>(nullptr, [end = std::move(end)](const void*) { end(); });
  torch::autograd::Engine::get_default_engine().queue_callback([owner = std::move(owner)] {});
}

}  // namespace reprise::tape
