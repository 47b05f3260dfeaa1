// SPDX-License-Identifier: Apache-2.0
#include "reprise/memory_budget.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/owner_thread.h"
#include "reprise/plan/serialize.h"

namespace reprise::python {
namespace {

// One `with budget.step():` block. It belongs to the thread that entered it.
class StepScope {
 public:
  explicit StepScope(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  ~StepScope() {
    if (step_ && !owner_.is_here()) {
      // A generator that was collected elsewhere, say. Frames of the other thread point to the
      // step: it has to stay.
      static_cast<void>(step_.release());
    }
  }
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

  void enter() {
    if (step_) {
      throw std::logic_error("MemoryBudget::step: expected a step that is not entered yet");
    }
    // NOLINTNEXTLINE(modernize-make-unique): a step cannot be moved into what that makes.
    step_.reset(new MemoryBudget::Step(budget_->step()));
    owner_ = OwnerThread();
  }
  void exit() {
    owner_.require_here("MemoryBudget::step");
    step_.reset();
  }

 private:
  std::shared_ptr<MemoryBudget> budget_;  // owned with the user
  std::unique_ptr<MemoryBudget::Step> step_;
  OwnerThread owner_;
};

std::function<void(const plan::PlanProgress&)> progress_calling(const py::object& function) {
  // Asked also without a function: so that Ctrl-C ends planning.
  return [shared = share(function)](const plan::PlanProgress& progress) {
    call_python([&] {
      if (PyErr_CheckSignals() != 0) {
        throw py::error_already_set();
      }
      if (shared->is_none()) {
        return;
      }
      (*shared)(progress.fraction, progress.iterations, progress.best_peak_bytes,
                progress.best_recompute_us, progress.fits);
    });
  };
}

std::optional<std::string> as_json(const std::optional<plan::Program>& program) {
  return program ? std::optional(plan::write_program(*program)) : std::nullopt;
}

std::optional<std::string> as_json(const std::optional<plan::Schedule>& schedule) {
  return schedule ? std::optional(plan::write_schedule(*schedule)) : std::nullopt;
}

std::vector<std::string> schedules_json(const MemoryBudget& budget) {
  std::vector<std::string> texts;
  for (const plan::Schedule& schedule : budget.schedules()) {
    texts.push_back(plan::write_schedule(schedule));
  }
  return texts;
}

// `place`: of the file that they came from.
void reuse(MemoryBudget& budget, const std::vector<std::string>& texts, const std::string& place) {
  std::vector<plan::Schedule> schedules;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    schedules.push_back(
        plan::read_schedule(texts[i], place + ": schedules[" + std::to_string(i) + "]"));
  }
  budget.reuse(std::move(schedules));
}

}  // namespace

void add_memory_budget(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;

  py::class_<MemoryBudgetOptions>(module, "MemoryBudgetOptions")
      .def(py::init<>())
      .def_readwrite("device", &MemoryBudgetOptions::device)
      .def_readwrite("planner", &MemoryBudgetOptions::planner)
      .def_readwrite("iterations", &MemoryBudgetOptions::iterations)
      .def_readwrite("time_limit_s", &MemoryBudgetOptions::time_limit_s)
      .def_readwrite("headroom_bytes", &MemoryBudgetOptions::headroom_bytes)
      .def_readwrite("is_hard", &MemoryBudgetOptions::is_hard)
      .def_readwrite("checks_ops", &MemoryBudgetOptions::checks_ops)
      .def_readwrite("most_replays_per_op", &MemoryBudgetOptions::most_replays_per_op)
      .def_readwrite("most_passes", &MemoryBudgetOptions::most_passes)
      .def("set_progress",
           [](MemoryBudgetOptions& options, const py::object& function) {
             options.on_progress = progress_calling(function);
           })
      .def("set_most_overhead",
           [](MemoryBudgetOptions& options, double share) {
             options.objective = Objective::smallest(share);
           })
      .def("set_schedule",
           [](MemoryBudgetOptions& options, const std::string& json, const std::string& place) {
             options.schedule = plan::read_schedule(json, place);
           });

  py::class_<StepScope>(module, "StepScope")
      .def("enter", &StepScope::enter, Unlocked())
      .def("exit", &StepScope::exit, Unlocked());

  py::class_<MemoryBudget, std::shared_ptr<MemoryBudget>>(module, "MemoryBudget")
      .def(py::init<std::int64_t, MemoryBudgetOptions>(), Unlocked())
      .def_static("above_start", &MemoryBudget::above_start, Unlocked())
      .def_static("share_of_peak", &MemoryBudget::share_of_peak, Unlocked())
      .def_static("minimum", &MemoryBudget::minimum, Unlocked())
      .def("step",
           [](std::shared_ptr<MemoryBudget> budget) {
             return std::make_unique<StepScope>(std::move(budget));
           })
      .def("name", py::overload_cast<const std::string&, const at::Tensor&>(&MemoryBudget::name),
           Unlocked())
      .def("report", &MemoryBudget::report, Unlocked())
      .def("schedules_json", &schedules_json, Unlocked())
      .def("reuse", &reuse, Unlocked())
      .def(
          "program_json", [](const MemoryBudget& budget) { return as_json(budget.program()); },
          Unlocked())
      .def(
          "schedule_json", [](const MemoryBudget& budget) { return as_json(budget.schedule()); },
          Unlocked());
}

}  // namespace reprise::python
