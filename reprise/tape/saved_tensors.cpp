// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/saved_tensors.h"

#include <memory>

#include <torch/csrc/autograd/engine.h>

#include "reprise/tape/frame.h"

namespace reprise::tape {
namespace {

class HookingEngine final : public torch::autograd::Engine {
 public:
  std::unique_ptr<torch::autograd::SavedVariableHooks> get_default_saved_variable_hooks() override {
    return hooks_of_top_frame();
  }
};

torch::autograd::Engine& hooking_engine() {
  // Never destroyed, like torch's own: its threads may outlive static destructors.
  static auto* const engine = new HookingEngine();
  return *engine;
}

}  // namespace

void install_saved_tensor_hooks() {
  static const bool installed = [] {
    torch::autograd::set_default_engine_stub(&hooking_engine);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace reprise::tape
