// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/frame.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/SavedTensorHooks.h>
#include <torch/library.h>

#include "reprise/tape/forked_child.h"
#include "reprise/tape/region.h"
#include "reprise/tape/saved_tensors.h"
#include "reprise/tape/view_kernels.h"

namespace reprise::tape {
namespace {

struct OpenFrame {
  Frame* frame;
  // Pairs of hooks that were pushed through torch before it (in Python).
  std::size_t others;
};

// Scope state of this thread, changed by FrameScope alone.
thread_local std::vector<OpenFrame> frames;

std::size_t pushed_hooks() { return at::SavedTensorDefaultHooks::get_tls_state().stack.size(); }

// Calls `visit` for the frames that see an op: the innermost ones down to the nearest rerun. What a
// rerun does is a repetition, so frames outside of it must not count it again.
template <class Visit>
void for_each_seeing_frame(Visit&& visit) {
  for (std::size_t i = frames.size(); i > 0; --i) {
    visit(*frames[i - 1].frame);
    if (frames[i - 1].frame->is_rerun()) {
      return;
    }
  }
}

void see_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  // Kernels are opaque: ops that a kernel calls are part of it.
  const UnseenOps unseen;
  if (!frames.empty()) {
    frames.back().frame->change_arguments(op, *stack);
  }
  const std::size_t argument_count = op.schema().arguments().size();
  const OpArguments arguments(stack->data() + (stack->size() - argument_count), argument_count);
  for_each_seeing_frame([&](Frame& frame) { frame.before_op(op, keys, arguments); });
  run_below_tape(op, keys, *stack);
  const std::size_t result_count = op.schema().returns().size();
  const OpArguments results(stack->data() + (stack->size() - result_count), result_count);
  for_each_seeing_frame([&](Frame& frame) { frame.after_op(op, results); });
}

bool are_views_seen() {
  bool are_seen = false;
  for_each_seeing_frame(
      [&are_seen](const Frame& frame) { are_seen = are_seen || frame.sees_views(); });
  return are_seen;
}

// Registered at run time, not by a static initialiser: a second registration on the key throws, and
// there it would end the process. Never taken back: ops of other threads may be in flight at exit.
torch::Library* register_fallback() {
  try {
    auto library =
        std::make_unique<torch::Library>(torch::Library::IMPL, "_", kTapeKey, __FILE__, __LINE__);
    library->fallback(torch::CppFunction::makeFromBoxedFunction<&see_op>());
    install_view_kernels({.are_seen = &are_views_seen, .see = &see_op});
    return library.release();
  } catch (const c10::Error& error) {
    throw std::runtime_error(std::string("checkpoint: cannot watch ops: somebody else has "
                                         "registered a fallback on the dispatch key ") +
                             c10::toString(kTapeKey) + ": " + error.what_without_backtrace());
  }
}

// The key to include where ops are to be seen.
c10::DispatchKey installed_key() {
  static torch::Library* const library = register_fallback();
  static_cast<void>(library);
  // The child of a fork in the midst of a scope (a DataLoader's worker) does work of its own.
  static const bool forgets = call_in_forked_child([] {
    frames.clear();
    c10::impl::tls_set_dispatch_key_included(kTapeKey, false);
  });
  static_cast<void>(forgets);
  install_saved_tensor_hooks();
  return kTapeKey;
}

}  // namespace

FrameScope::FrameScope(Frame& frame)
    : sees_ops_(installed_key()), were_unseen_(c10::impl::tls_is_dispatch_key_excluded(kTapeKey)) {
  c10::impl::tls_set_dispatch_key_excluded(kTapeKey, false);
  frames.push_back({.frame = &frame, .others = pushed_hooks()});
}

FrameScope::~FrameScope() {
  if (!frames.empty()) {  // as in a forked child that unwinds
    frames.pop_back();
  }
  c10::impl::tls_set_dispatch_key_excluded(kTapeKey, were_unseen_);
}

void run_below_tape(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                    torch::jit::Stack& stack) {
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kTapeKey), &stack);
}

Frame* top_frame() { return frames.empty() ? nullptr : frames.back().frame; }

std::unique_ptr<torch::autograd::SavedVariableHooks> hooks_of_top_frame() {
  if (frames.empty() || frames.back().others < pushed_hooks()) {
    return nullptr;
  }
  const auto& state = at::SavedTensorDefaultHooks::get_tls_state();
  return state.disabled_error_message || state.is_tracing ? nullptr
                                                          : frames.back().frame->make_hooks();
}

bool is_recomputing() {
  return std::any_of(frames.begin(), frames.end(),
                     [](const OpenFrame& each) { return each.frame->is_rerun(); });
}

}  // namespace reprise::tape
