// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/frame.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ATen/SavedTensorHooks.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

#include "reprise/tape/backward_end.h"
#include "reprise/tape/counting_allocator.h"
#include "reprise/tape/forked_child.h"
#include "reprise/tape/op_kernels.h"
#include "reprise/tape/region.h"
#include "reprise/tape/saved_tensors.h"

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

// Of ops that compute gradients, which no frame may want. Where Python begins a backward, its
// engine runs it and nobody hides them; saved_tensors.cpp does so for others.
bool is_unwanted_backward() {
  return !c10::GradMode::is_enabled() && !frames.empty() && !frames.back().frame->sees_backward() &&
         current_backward() != kNoBackward;
}

// Registered at run time, not by a static initialiser: a second registration on the key throws, and
// there it would end the process. Never taken back: ops of other threads may be in flight at exit.
torch::Library* register_fallback() {
  try {
    auto library =
        std::make_unique<torch::Library>(torch::Library::IMPL, "_", kTapeKey, __FILE__, __LINE__);
    library->fallback(torch::CppFunction::makeFromBoxedFunction<&see_boxed>());
    install_op_kernels();
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
    : frame_(&frame),
      sees_ops_(installed_key()),
      were_unseen_(c10::impl::tls_is_dispatch_key_excluded(kTapeKey)) {
  c10::impl::tls_set_dispatch_key_excluded(kTapeKey, false);
  frames.push_back({.frame = &frame, .others = pushed_hooks()});
}

FrameScope::~FrameScope() {
  // By identity: scopes of a language with generators need not end in the order of a stack, and a
  // forked child has forgotten them.
  const auto mine = std::find_if(frames.rbegin(), frames.rend(),
                                 [this](const OpenFrame& each) { return each.frame == frame_; });
  if (mine != frames.rend()) {
    frames.erase(std::prev(mine.base()));
  }
  c10::impl::tls_set_dispatch_key_excluded(kTapeKey, were_unseen_);
}

struct FramesAside::State {
  std::vector<OpenFrame> aside = std::exchange(frames, {});
  UnseenOps unseen;
  NoAllocationGate no_gate;
};

FramesAside::FramesAside() : state_(std::make_unique<State>()) {}

FramesAside::~FramesAside() { frames = std::move(state_->aside); }

void run_below_tape(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                    torch::jit::Stack& stack) {
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kTapeKey), &stack);
}

Sight sight_of_ops(bool are_views) {
  if (is_unwanted_backward()) {
    return Sight::kNone;
  }
  bool are_seen = !are_views && !frames.empty();
  if (are_views) {
    for_each_seeing_frame(
        [&are_seen](const Frame& frame) { are_seen = are_seen || frame.sees_views(); });
  }
  if (!are_seen) {
    return Sight::kNone;
  }
  return frames.back().frame->changes_arguments() ? Sight::kMayChange : Sight::kSeen;
}

void show_before(const c10::OperatorHandle& op, c10::DispatchKeySet keys, OpArguments arguments) {
  for_each_seeing_frame([&](Frame& frame) { frame.before_op(op, keys, arguments); });
}

void show_after(const c10::OperatorHandle& op, OpArguments results) {
  for_each_seeing_frame([&](Frame& frame) { frame.after_op(op, results); });
}

void see_boxed(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const UnseenOps unseen;
  if (is_unwanted_backward()) {
    run_below_tape(op, keys, *stack);
    return;
  }
  if (!frames.empty() && frames.back().frame->changes_arguments()) {
    frames.back().frame->change_arguments(op, *stack);
  }
  show_before(op, keys, torch::jit::last(*stack, op.schema().arguments().size()));
  run_below_tape(op, keys, *stack);
  show_after(op, torch::jit::last(*stack, op.schema().returns().size()));
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
