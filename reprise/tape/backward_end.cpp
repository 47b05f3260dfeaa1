// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/backward_end.h"

#include <memory>
#include <utility>

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>

namespace reprise::tape {
namespace {

class End {
 public:
  explicit End(std::function<void(bool)> call) : call_(std::move(call)) {}
  ~End() { tell(false); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  // Once.
  void tell(bool has_returned) {
    if (const auto call = std::exchange(call_, nullptr)) {
      call(has_returned);
    }
  }

 private:
  std::function<void(bool)> call_;
};

}  // namespace

int current_backward() { return torch::autograd::get_current_graph_task_id(); }

void at_end_of_backward(std::function<void(bool has_returned)> end) {
  // The engine calls such callbacks before backward() returns, but only if all went well. It
  // destroys them in any case, on the thread of a device perhaps after backward() has returned.
  auto owner = std::make_shared<End>(std::move(end));  // owned with copies of the callback
  torch::autograd::Engine::get_default_engine().queue_callback(
      [owner = std::move(owner)] { owner->tell(true); });
}

}  // namespace reprise::tape
