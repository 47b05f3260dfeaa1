// SPDX-License-Identifier: Apache-2.0
// Frames: the runs of regions that are under way on a thread, innermost last.
//
// While a frame is on the stack, every ATen op below autograd is shown to it, and every tensor that
// autograd saves goes through the hooks of the top frame.
#pragma once

#include <memory>

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include "reprise/tape/op_effects.h"

namespace reprise::tape {

// The dispatch key on which ops are seen. `Fake` lies below autograd, autocast and Python and above
// every backend, so it sees exactly the ops that a rerun repeats; nothing in libtorch 2.13
// registers on it. torch's own C++ fake-tensor work may claim it later: installing then throws.
inline constexpr c10::DispatchKey kTapeKey = c10::DispatchKey::Fake;

class Frame {
 public:
  virtual ~Frame() = default;

  // Takes the tensors that autograd saves while this frame is on top.
  virtual std::unique_ptr<torch::autograd::SavedVariableHooks> make_hooks() = 0;

  // Called first, for the innermost frame alone and if that says that it may change arguments: they
  // are the last of `stack`.
  virtual bool changes_arguments() const { return false; }
  virtual void change_arguments(const c10::OperatorHandle& /*op*/, torch::jit::Stack& /*stack*/) {}
  // Called around every op. What `before_op` throws leaves through the user's function.
  // `keys` are those that the op was dispatched with.
  virtual void before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                         OpArguments arguments) = 0;
  virtual void after_op(const c10::OperatorHandle& op, OpArguments results) = 0;

  virtual bool is_rerun() const = 0;
  // Whether it wants to see ops that only give views of their arguments.
  virtual bool sees_views() const { return true; }
  // Whether it wants to see ops that compute gradients, in a backward that begins while it is on
  // top. Those of a backward that makes a graph it sees in any case.
  virtual bool sees_backward() const { return true; }
};

// Puts a frame on this thread's stack for a scope.
class FrameScope {
 public:
  // Throws std::runtime_error if somebody else has registered on kTapeKey.
  explicit FrameScope(Frame& frame);
  ~FrameScope();
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;

 private:
  const Frame* frame_;
  c10::impl::IncludeDispatchKeyGuard sees_ops_;
  bool were_unseen_;  // in a backward, say
};

// Takes all frames and the allocation gate of this thread away for a scope: for calls of the user's
// from within our own work.
class FramesAside {
 public:
  FramesAside();
  ~FramesAside();
  FramesAside(const FramesAside&) = delete;
  FramesAside& operator=(const FramesAside&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Hides the ops of a scope from every frame: work of the tape's own.
class UnseenOps {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::DispatchKeySet(kTapeKey)};
};

// Runs the kernel of an op that was dispatched with `keys`, on `stack`.
void run_below_tape(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                    torch::jit::Stack& stack);

// How the frames of this thread want to see an op that is about to run.
enum class Sight { kNone, kSeen, kMayChange };
Sight sight_of_ops(bool are_views);

// Show an op to the frames. REQUIRES: under UnseenOps, for kernels are opaque: ops that a kernel
// calls are part of it.
void show_before(const c10::OperatorHandle& op, c10::DispatchKeySet keys, OpArguments arguments);
void show_after(const c10::OperatorHandle& op, OpArguments results);

// The fallback: shows the op, whatever it is, and runs it.
void see_boxed(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

// The innermost frame of this thread, or null.
Frame* top_frame();

// Hooks of the top frame of this thread; null if there is none, if somebody has pushed hooks
// through torch since (an inner scope of Python's saved_tensors_hooks), or has switched hooks off.
std::unique_ptr<torch::autograd::SavedVariableHooks> hooks_of_top_frame();

}  // namespace reprise::tape
