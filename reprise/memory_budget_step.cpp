// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <stdexcept>
#include <utility>

#include "reprise/budget_core.h"
#include "reprise/memory_budget.h"
#include "reprise/tape/counting_allocator.h"
#include "reprise/tape/forked_child.h"
#include "reprise/tape/pass_frame.h"

namespace reprise {
namespace {

// Of allocations on the CPU; where they are made on other devices nobody is told of them.
class PassGate final : public tape::AllocationGate {
 public:
  explicit PassGate(const tape::PassFrame& frame) : frame_(frame) {}

  void before_allocation(std::int64_t bytes) override {
    if (frame_.pass()) {
      frame_.pass()->make_room(bytes);
    }
  }

 private:
  const tape::PassFrame& frame_;
};

// Scope state of this thread, changed by steps alone.
thread_local bool is_in_step = false;

}  // namespace

struct MemoryBudget::Step::State {
  explicit State(std::shared_ptr<Core> budget)
      : core(std::move(budget)),
        frame({.begin = [this] { return core->begin_pass(); },
               .end = [this](const auto& pass) { core->end_pass(pass); }}),
        gate(frame) {
    if (is_in_step) {
      throw std::logic_error("MemoryBudget::step: this thread is in a step already");
    }
    core->begin_step();
    static const bool forgets = tape::call_in_forked_child([] { is_in_step = false; });
    static_cast<void>(forgets);
    is_in_step = true;
    sees_ops.emplace(frame);
    if (core->is_of_cpu()) {
      sees_allocations.emplace(gate);
    }
  }
  ~State() {
    sees_allocations.reset();
    sees_ops.reset();
    try {
      frame.end_pass();
    } catch (const std::exception& error) {
      // Nothing may leave a destructor. The pass stays unknown, as one that cannot be planned.
      core->note_unplanned(error.what());
    }
    core->end_step();
    is_in_step = false;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<Core> core;  // may outlive the budget
  tape::PassFrame frame;
  PassGate gate;
  std::optional<tape::FrameScope> sees_ops;
  std::optional<tape::AllocationGateScope> sees_allocations;
};

MemoryBudget::Step::Step(std::unique_ptr<State> state) : state_(std::move(state)) {}
MemoryBudget::Step::~Step() = default;

MemoryBudget::Step MemoryBudget::step() { return Step(std::make_unique<Step::State>(core_)); }

}  // namespace reprise
