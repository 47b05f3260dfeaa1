// SPDX-License-Identifier: Apache-2.0
// MetaRecorder: the program of a step of a model of any size, out of the shapes of its tensors.
//
//   MetaRecorder recorder;
//   auto model = make_model();  // its parameters take no memory
//   plan::Program program = recorder.record([&] { model->loss(batch).backward(); });
//
// Tensors live on libtorch's meta device, where ops find out shapes and compute nothing. Bytes are
// exact, times are estimates (estimated_cost.h). It stands for a step on the CPU with as many
// threads as libtorch has: where ops, values and lifetimes depend on the device, they are the
// CPU's.
#pragma once

#include <functional>

#include "reprise/plan/program.h"
#include "reprise/profile/estimated_cost.h"
#include "reprise/profile/meta_frame.h"
#include "reprise/profile/parameter_names.h"
#include "reprise/tape/frame.h"

namespace reprise::profile {

class MetaRecorder {
 public:
  // From now on, while it exists, what this thread makes is on the meta device, whatever device is
  // named. The default generator is as before afterwards.
  explicit MetaRecorder(const MachineSpeed& speed = {});
  ~MetaRecorder();
  MetaRecorder(const MetaRecorder&) = delete;
  MetaRecorder& operator=(const MetaRecorder&) = delete;

  // Runs `step`, a forward and its backward. Throws StepError if it is none, or if an op needs the
  // bytes of its tensors or has no kernel for the meta device, by the op's name.
  plan::Program record(const std::function<void()>& step, const ParameterNames& names = {});

 private:
  at::Tensor generator_state_;
  MetaFrame frame_;
  tape::FrameScope scope_;
};

}  // namespace reprise::profile
