// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/saved_tensors.h"

#include <memory>
#include <utility>

#include <torch/csrc/autograd/engine.h>

#include "reprise/tape/discarded_outputs.h"
#include "reprise/tape/frame.h"

namespace reprise::tape {
namespace {

// Only tells which hooks take what is saved. Backwards still run in the engine that was there
// before: the threads of devices belong to the engine that ran the process's first backward.
class HookingEngine final : public torch::autograd::Engine {
 public:
  explicit HookingEngine(Engine& runner) : runner_(runner) {}

  std::unique_ptr<torch::autograd::SavedVariableHooks> get_default_saved_variable_hooks() override {
    if (auto hooks = hooks_of_top_frame()) {
      return hooks;
    }
    return hooks_for_discarded(runner_.get_default_saved_variable_hooks());
  }

  torch::autograd::variable_list execute(const torch::autograd::edge_list& roots,
                                         const torch::autograd::variable_list& inputs,
                                         bool keep_graph, bool create_graph, bool accumulate_grad,
                                         const torch::autograd::edge_list& outputs) override {
    const Frame* const frame = top_frame();
    if (create_graph || frame == nullptr || frame->sees_backward()) {
      return runner_.execute(roots, inputs, keep_graph, create_graph, accumulate_grad, outputs);
    }
    // Showing what computes gradients would take a microsecond per op.
    const UnseenOps unseen;
    return runner_.execute(roots, inputs, keep_graph, create_graph, accumulate_grad, outputs);
  }

  c10::intrusive_ptr<at::ivalue::Future> execute_with_graph_task(
      const std::shared_ptr<torch::autograd::GraphTask>& graph_task,
      c10::intrusive_ptr<torch::autograd::Node> graph_root,
      torch::autograd::InputBuffer&& input_buffer) override {
    return runner_.execute_with_graph_task(graph_task, std::move(graph_root),
                                           std::move(input_buffer));
  }

  std::unique_ptr<torch::autograd::AnomalyMetadata> make_anomaly_metadata() override {
    return runner_.make_anomaly_metadata();
  }

 private:
  Engine& runner_;
};

torch::autograd::Engine& hooking_engine() {
  // Never destroyed, like torch's own: its threads may outlive static destructors. Made before it
  // is installed, so that the default engine is still the one to run in.
  static auto* const engine = new HookingEngine(torch::autograd::Engine::get_default_engine());
  return *engine;
}

}  // namespace

void install_saved_tensor_hooks() {
  static const bool installed = [] {
    hooking_engine();
    torch::autograd::set_default_engine_stub(&hooking_engine);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace reprise::tape
