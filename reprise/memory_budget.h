// SPDX-License-Identifier: Apache-2.0
// MemoryBudget: trains an unchanged model within a number of bytes.
//
//   reprise::MemoryBudget budget(reprise::gib(2));
//   for (auto& batch : *loader) {
//     optimizer.zero_grad();
//     { auto step = budget.step();
//       model->forward(batch.data).backward(); }
//     optimizer.step();
//   }
//   std::cout << budget.report().text();
//
// Gradients have the bits that they have without it. docs/memory_budget.md says how it works.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "reprise/budget_report.h"
#include "reprise/label.h"
#include "reprise/plan/planner.h"
#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/tape/never_replay.h"
#include "reprise/tape/op_mismatch.h"

namespace torch::nn {
class Module;
}  // namespace torch::nn

namespace reprise {

using tape::never_replay;

// No plan fits the budget.
class BudgetError : public std::runtime_error {
 public:
  BudgetError(const std::string& what, std::int64_t minimum)
      : std::runtime_error(what), minimum_bytes(minimum) {}

  // The smallest budget that a plan was found for, headroom included: in the terms of the budget,
  // of a share in bytes above the start. 0 if that is not known.
  std::int64_t minimum_bytes;
};

using tape::OpMismatch;

// What plans are made for.
struct Objective {
  // Nothing: the fastest plan within the budget. Else the plan with the lowest peak whose predicted
  // recompute time is at most this share of a plain step; if all that fit the budget take longer,
  // the fastest of them.
  std::optional<double> most_overhead = {};

  static Objective fastest() { return {}; }
  static Objective smallest(double most_overhead) { return {.most_overhead = most_overhead}; }
};

struct MemoryBudgetOptions {
  // Whose bytes the budget is of; without an index the current one of its type. Tensors on other
  // devices are recorded and replayed, but count nothing.
  c10::Device device = c10::Device(c10::kCPU);
  // Of make_plan() (plan/planners.h).
  std::string planner = "auto";
  std::int64_t iterations = 0;  // 0: the planner's default
  double time_limit_s = 0;      // 0: none. With one, plans depend on the machine.
  // Called now and then while a plan is made.
  std::function<void(const plan::PlanProgress&)> on_progress = {};
  Objective objective = {};
  // So many bytes of the budget are left free, for what is allocated while no pass runs. None where
  // the budget is the minimum.
  std::int64_t headroom_bytes = 0;
  // A budget that no plan meets is an error. If false, the plan with the lowest peak is followed.
  bool is_hard = true;
  // Replays each op of forward at once and compares bits, and looks for writes to arguments that
  // the op's schema does not declare: OpMismatch, out of the op's call, names the first that
  // differs. For finding ops that cannot be replayed; slow, and it takes memory beyond the budget.
  bool checks_ops = false;
  // A backward without a plan that has replayed so many times as many ops as there are in forward
  // is thrashing. It drops nothing more then, goes above the budget, and is told of in the report.
  // Infinite: it never does.
  double most_replays_per_op = 10;
  // So many different passes are remembered, those used last.
  int most_passes = 16;
  // Followed instead of planning, whatever the budget, by the program that it was made for. Any
  // other is refused: BudgetError.
  std::optional<plan::Schedule> schedule = {};
};

class MemoryBudget {
 public:
  // Live tensors may take so many bytes on the device, parameters and gradients included. On the
  // CPU, memory that was allocated before counting began (count_memory(), memory.h) is not known
  // and not counted. Throws std::invalid_argument if `bytes` is not positive, an option is out of
  // bounds, or the device's allocator keeps no statistics.
  explicit MemoryBudget(std::int64_t bytes, MemoryBudgetOptions options = {});
  // So many bytes above what is live when a pass begins.
  static MemoryBudget above_start(std::int64_t bytes, MemoryBudgetOptions options = {});
  // A share, above 0 and up to 1, of what the same step takes above its start with everything kept.
  // The first step finds out how much that is, so it keeps everything.
  static MemoryBudget share_of_peak(double share, MemoryBudgetOptions options = {});
  // As little as any plan manages. The first step keeps everything.
  static MemoryBudget minimum(MemoryBudgetOptions options = {});
  ~MemoryBudget();
  MemoryBudget(MemoryBudget&& other) noexcept;
  MemoryBudget& operator=(MemoryBudget&& other) noexcept;

  // A scope. What runs in it on this thread is recorded, planned and kept within the budget: a
  // forward and its backward, or several one after another. What forward saved may be used after
  // it as well, but is not planned then.
  class Step {
   public:
    ~Step();
    Step(Step&&) = delete;
    Step& operator=(Step&&) = delete;

   private:
    friend class MemoryBudget;
    struct State;
    explicit Step(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  // Throws std::logic_error inside of a step of the same thread, and while another thread is in a
  // step of this budget. What planning throws, BudgetError above all, leaves through the first op
  // of the step that needs the plan; no state is changed, and the next step works.
  [[nodiscard]] Step step();

  // Ops that read a parameter or buffer of `model` get the label of its part, "encoder.layer3", and
  // those after them too, where no label() is open. To be called before the first step.
  void name(const torch::nn::Module& model);
  // The same for one parameter or buffer: what reads "encoder.layer3.weight" is "encoder.layer3".
  void name(const std::string& path, const at::Tensor& tensor);

  // Takes time in proportion to the program of the last pass.
  BudgetReport report() const;

  // The recorded pass that was run last, and the schedule that it is to follow next; nothing before
  // a pass has been recorded, and planned.
  std::optional<plan::Program> program() const;
  std::optional<plan::Schedule> schedule() const;

  // The schedules of all passes that it remembers, to be given to reuse() of another budget, in
  // another process.
  std::vector<plan::Schedule> schedules() const;
  // From now on, a schedule among these is followed instead of planning by the program that it was
  // made for, where it was made for about as many bytes as there are; for the minimum, where
  // it was made for that. Programs without one are planned.
  void reuse(std::vector<plan::Schedule> schedules);

 private:
  class Core;
  explicit MemoryBudget(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;  // shared with steps under way
};

}  // namespace reprise
