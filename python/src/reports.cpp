// SPDX-License-Identifier: Apache-2.0
#include "python/src/bindings.h"
#include "reprise/budget_report.h"
#include "reprise/plan/value_fates.h"

namespace reprise::python {
namespace {

// A property for each member, and `fields`, their names in order.
template <class Struct>
class Fields {
 public:
  Fields(py::module_& module, const char* name) : class_(module, name) {}
  template <class Member>
  Fields& add(const char* name, Member Struct::*member) {
    class_.def_readonly(name, member);
    names_.append(name);
    return *this;
  }
  py::class_<Struct>& done() {
    class_.attr("fields") = py::tuple(names_);
    return class_;
  }

 private:
  py::class_<Struct> class_;
  py::list names_;
};

}  // namespace

void add_reports(py::module_& module) {
  py::enum_<plan::ValueFate::Action>(module, "Action")
      .value("HELD", plan::ValueFate::Action::kHeld)
      .value("KEPT", plan::ValueFate::Action::kKept)
      .value("RECOMPUTED", plan::ValueFate::Action::kRecomputed);
  Fields<ValueReport>(module, "ValueReport")
      .add("bytes", &ValueReport::bytes)
      .add("shape", &ValueReport::shape)
      .add("dtype", &ValueReport::dtype)
      .add("op", &ValueReport::op)
      .add("label", &ValueReport::label)
      .add("action", &ValueReport::action)
      .add("why", &ValueReport::why)
      .done();
  Fields<PassReport>(module, "PassReport")
      .add("plan", &PassReport::plan)
      .add("limit_bytes", &PassReport::limit_bytes)
      .add("peak_bytes", &PassReport::peak_bytes)
      .add("total_peak_bytes", &PassReport::total_peak_bytes)
      .add("predicted_peak_bytes", &PassReport::predicted_peak_bytes)
      .add("keep_all_peak_bytes", &PassReport::keep_all_peak_bytes)
      .add("predicted_recompute_us", &PassReport::predicted_recompute_us)
      .add("predicted_overhead", &PassReport::predicted_overhead)
      .add("is_above_overhead", &PassReport::is_above_overhead)
      .add("replayed_ops", &PassReport::replayed_ops)
      .add("recompute_us", &PassReport::recompute_us)
      .add("pass_us", &PassReport::pass_us)
      .add("evictions", &PassReport::evictions)
      .add("held_bytes", &PassReport::held_bytes)
      .add("not_replayable_bytes", &PassReport::not_replayable_bytes)
      .add("replay_state_bytes", &PassReport::replay_state_bytes)
      .add("has_departed", &PassReport::has_departed)
      .add("is_thrashing", &PassReport::is_thrashing)
      .done();
  Fields<BudgetReport>(module, "BudgetReport")
      .add("steps", &BudgetReport::steps)
      .add("passes", &BudgetReport::passes)
      .add("planned_passes", &BudgetReport::planned_passes)
      .add("departures", &BudgetReport::departures)
      .add("overruns", &BudgetReport::overruns)
      .add("thrashed", &BudgetReport::thrashed)
      .add("corrections", &BudgetReport::corrections)
      .add("plans", &BudgetReport::plans)
      .add("plan_ms", &BudgetReport::plan_ms)
      .add("unplanned_because", &BudgetReport::unplanned_because)
      .add("last", &BudgetReport::last)
      .add("values", &BudgetReport::values)
      .done()
      .def("text", &BudgetReport::text)
      .def("values_text", &BudgetReport::values_text);
}

}  // namespace reprise::python
