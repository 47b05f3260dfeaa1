// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/meta_recorder.h"

#include <memory>
#include <optional>
#include <utility>

#include <ATen/CPUGeneratorImpl.h>
#include <c10/util/Exception.h>
#include <c10/util/ScopeExit.h>

#include "reprise/profile/build_program.h"
#include "reprise/profile/meta_kernels.h"
#include "reprise/profile/step_error.h"
#include "reprise/profile/step_recorder.h"
#include "reprise/tape/meta_allocator.h"
#include "reprise/tape/online_policy.h"
#include "reprise/tape/random_states.h"

namespace reprise::profile {
namespace {

// One forward and its backward, with everything kept.
class OnePass {
 public:
  OnePass(const ParameterNames& names, std::function<double()> clock_us)
      : names_(names),
        clock_us_(std::move(clock_us)),
        frame_({.begin = [this] { return begin(); },
                .end = [this](const auto& /*pass*/) { recorded_ = recorder_->finish(); }}) {}

  tape::PassFrame& frame() { return frame_; }

  StepTrace trace() {
    frame_.end_pass();
    if (!recorded_ || recorded_->trace.uses.empty()) {
      throw StepError("the step: expected a forward and its backward, got no backward");
    }
    if (!recorded_->fault.empty()) {
      throw StepError("the step: " + recorded_->fault);
    }
    return std::move(recorded_->trace);
  }

 private:
  std::shared_ptr<tape::Pass> begin() {
    if (pass_) {
      throw StepError("the step: expected one forward and its backward, got more");
    }
    // Where the bytes of meta tensors are counted.
    tape::DeviceMemory& memory = tape::DeviceMemory::of(c10::Device(c10::kCPU), "MetaRecorder");
    pass_ = std::make_shared<tape::Pass>(
        std::make_unique<tape::OnlinePolicy>(tape::OnlineLimits{.memory = memory}), nullptr);
    recorder_.emplace(*pass_, memory, names_, clock_us_);
    return pass_;
  }

  const ParameterNames& names_;
  std::function<double()> clock_us_;
  std::shared_ptr<tape::Pass> pass_;  // owned with the graph
  std::optional<StepRecorder> recorder_;
  std::optional<RecordedPass> recorded_;
  tape::PassFrame frame_;
};

}  // namespace

MetaRecorder::MetaRecorder(const MachineSpeed& speed)
    : generator_state_(tape::state_of(at::detail::getDefaultCPUGenerator())),
      frame_(speed),
      scope_(frame_) {
  tape::count_meta_memory();
  install_meta_kernels();
}

MetaRecorder::~MetaRecorder() {
  tape::set_state(at::detail::getDefaultCPUGenerator(), generator_state_);
}

plan::Program MetaRecorder::record(const std::function<void()>& step, const ParameterNames& names) {
  OnePass pass(names, [this] { return frame_.clock_us(); });
  frame_.show_to(&pass.frame());
  const auto hide = c10::make_scope_exit([this] {
    frame_.give_up_op();
    frame_.show_to(nullptr);
  });
  try {
    step();
  } catch (const c10::Error& error) {
    if (frame_.op_under_way().empty()) {
      throw;
    }
    const std::string what = error.what_without_backtrace();
    throw StepError(frame_.op_under_way() +
                    ": expected an op that runs on tensors without bytes, got: " +
                    what.substr(0, what.find('\n')));
  }
  StepTrace trace = pass.trace();
  trace.device = "meta";
  return build_program(trace).program;
}

}  // namespace reprise::profile
