// SPDX-License-Identifier: Apache-2.0
// RerunFrame: catches what a rerun saves, compares it with the first run, and stops it early.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "reprise/tape/frame.h"
#include "reprise/tape/op_watch.h"
#include "reprise/tape/region_core.h"

namespace reprise::tape {

// Leaves the user's function once the last needed value is there. A std::exception, so that it also
// passes through an engine if the function computes gradients itself.
struct EarlyStop final : std::exception {
  const char* what() const noexcept override { return "the rerun has all it needs"; }
};

class RerunFrame final : public Frame {
 public:
  RerunFrame(Region& region, std::int64_t last_needed);

  std::unique_ptr<torch::autograd::SavedVariableHooks> make_hooks() override;
  void before_op(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/,
                 OpArguments arguments) override;
  void after_op(const c10::OperatorHandle& op, OpArguments results) override;
  bool is_rerun() const override { return true; }

  // The rerun has saved its next value: compares it, fills the slot. May throw EarlyStop or
  // ReplayMismatch.
  void save(const at::Tensor& tensor);

  const OpWatch& watch() const { return watch_; }
  // Generators that the rerun draws from and the first run did not: then it differs.
  const RandomStates& other_random() const { return other_random_; }
  std::vector<std::string>& recorded_ops() { return recorded_ops_; }
  std::int64_t saved_values() const { return next_; }
  bool was_stopped() const { return was_stopped_; }
  // The first difference seen; thrown at once, or kept until the end with RegionOptions::debug.
  const std::optional<MismatchDetails>& mismatch() const { return mismatch_; }

 private:
  void stop();

  Region& region_;
  OpWatch watch_;
  RandomStates other_random_;
  std::vector<std::string> recorded_ops_;
  std::int64_t last_needed_;
  SavingNodes saving_nodes_;
  std::int64_t next_ = 0;
  bool awaits_fill_ = false;  // a value was saved that the op under way has yet to fill
  bool stops_after_op_ = false;
  bool was_stopped_ = false;
  std::optional<MismatchDetails> mismatch_;
};

}  // namespace reprise::tape
