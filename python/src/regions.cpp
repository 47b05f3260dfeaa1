// SPDX-License-Identifier: Apache-2.0
// The runs of checkpointed regions; the Python function is called by the package, between a run's
// construction and finish().
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/python/pybind_utils.h>

#include "python/src/bindings.h"
#include "python/src/owner_thread.h"
#include "reprise/tape/discarded_outputs.h"
#include "reprise/tape/op_policy.h"
#include "reprise/tape/recorded_run.h"
#include "reprise/tape/region.h"
#include "reprise/tape/region_options.h"

namespace reprise::python {
namespace {

using tape::OpPolicy;
using tape::RecordedRun;
using tape::RegionOp;
using tape::RegionOptions;
using tape::RegionRun;
using tape::SaveAction;

// As torch hands it to Python functions: dtypes, layouts and memory formats are numbers to the
// dispatcher.
py::object as_python(const c10::IValue& value, c10::TypePtr type) {
  if (const auto optional = type->cast<c10::OptionalType>()) {
    type = optional->getElementType();
  }
  if (value.isInt()) {
    switch (type->kind()) {
      case c10::TypeKind::ScalarTypeType:
        return py::cast(value.toScalarType());
      case c10::TypeKind::LayoutType:
        return py::cast(value.toLayout());
      case c10::TypeKind::MemoryFormatType:
        return py::cast(value.toMemoryFormat());
      default:
        break;
    }
  }
  return torch::jit::toPyObject(value);
}

py::list as_list(const std::vector<c10::Argument>& declared, c10::ArrayRef<c10::IValue> values) {
  py::list list;
  for (std::size_t i = 0; i < values.size(); ++i) {
    list.append(as_python(values[i], declared[i].real_type()));
  }
  return list;
}

// `function`: from (name, overload, arguments, results) to a SaveAction.
OpPolicy policy_calling(const py::object& function) {
  return [shared = share(function)](const RegionOp& op) {
    return call_python([&] {
      const c10::FunctionSchema& schema =
          c10::Dispatcher::singleton()
              .findSchemaOrThrow(std::string(op.name).c_str(), std::string(op.overload).c_str())
              .schema();
      return (*shared)(std::string(op.name), std::string(op.overload),
                       as_list(schema.arguments(), op.arguments),
                       as_list(schema.returns(), op.results))
          .template cast<SaveAction>();
    });
  };
}

tape::Rerun rerun_calling(const py::object& function) {
  return [shared = share(function)](std::vector<at::Tensor> inputs) {
    call_python([&] { (*shared)(std::move(inputs)); });
  };
}

// A run that ends with finish() or, where the function threw, with abandon().
template <class Run>
class RunScope {
 public:
  template <class... Arguments>
  explicit RunScope(Arguments&&... arguments)
      : run_(std::make_unique<Run>(std::forward<Arguments>(arguments)...)) {}
  ~RunScope() {
    if (run_ && !owner_.is_here()) {
      static_cast<void>(run_.release());  // frames of the other thread point to it
    }
  }
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

  void finish(const std::vector<at::Tensor>& results) {
    owner_.require_here("checkpoint");
    if (const std::unique_ptr<Run> run = std::move(run_)) {
      run->finish(results);
    }
  }
  void abandon() {
    owner_.require_here("checkpoint");
    run_.reset();
  }

 private:
  std::unique_ptr<Run> run_;
  OwnerThread owner_;
};

}  // namespace

void add_regions(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;

  py::enum_<SaveAction>(module, "SaveAction")
      .value("MUST_SAVE", SaveAction::kMustSave)
      .value("PREFER_SAVE", SaveAction::kPreferSave)
      .value("MUST_RECOMPUTE", SaveAction::kMustRecompute)
      .value("PREFER_RECOMPUTE", SaveAction::kPreferRecompute)
      .value("MUST_OFFLOAD", SaveAction::kMustOffload)
      .value("PREFER_OFFLOAD", SaveAction::kPreferOffload);
  py::enum_<tape::DeterminismCheck>(module, "DeterminismCheck")
      .value("NONE", tape::DeterminismCheck::kNone)
      .value("METADATA", tape::DeterminismCheck::kMetadata)
      .value("VALUES", tape::DeterminismCheck::kValues);

  py::class_<tape::RegionCounts>(module, "RegionCounts")
      .def_readonly("regions", &tape::RegionCounts::regions)
      .def_readonly("reruns", &tape::RegionCounts::reruns)
      .def_readonly("recomputed_ops", &tape::RegionCounts::recomputed_ops)
      .def_readonly("values", &tape::RegionCounts::values)
      .def_readonly("dropped_bytes", &tape::RegionCounts::dropped_bytes)
      .def_readonly("kept_bytes", &tape::RegionCounts::kept_bytes)
      .def_readonly("policy_bytes", &tape::RegionCounts::policy_bytes)
      .def_readonly("offloads_kept", &tape::RegionCounts::offloads_kept)
      .def_readonly("replay_peak_bytes", &tape::RegionCounts::replay_peak_bytes)
      .def_readonly("idle_regions", &tape::RegionCounts::idle_regions);
  py::class_<tape::RegionStats, std::shared_ptr<tape::RegionStats>>(module, "RegionStats")
      .def(py::init<>())
      .def("by_name", &tape::RegionStats::by_name)
      .def("total", &tape::RegionStats::total)
      .def("clear", &tape::RegionStats::clear)
      .def("text", &tape::RegionStats::text);

  py::class_<RegionOptions>(module, "RegionOptions")
      .def(py::init<>())
      .def_readwrite("name", &RegionOptions::name)
      .def_readwrite("preserves_rng", &RegionOptions::preserves_rng)
      .def_readwrite("determinism_check", &RegionOptions::determinism_check)
      .def_readwrite("stops_early", &RegionOptions::stops_early)
      .def_readwrite("debug", &RegionOptions::debug)
      .def_readwrite("stats", &RegionOptions::stats)
      .def("set_policy", [](RegionOptions& options, const py::object& function) {
        options.policy = policy_calling(function);
      });

  py::class_<RunScope<RecordedRun>>(module, "RecordedRun")
      .def(py::init<const RegionOptions&>(), Unlocked())
      .def("finish", &RunScope<RecordedRun>::finish, Unlocked())
      .def("abandon", &RunScope<RecordedRun>::abandon, Unlocked());
  py::class_<RunScope<RegionRun>>(module, "RegionRun")
      .def(py::init([](const RegionOptions& options, const std::vector<at::Tensor>& inputs,
                       const py::object& function) {
        tape::Rerun rerun = rerun_calling(function);
        const py::gil_scoped_release unlocked;
        return std::make_unique<RunScope<RegionRun>>(options, inputs, std::move(rerun));
      }))
      .def("finish", &RunScope<RegionRun>::finish, Unlocked())
      .def("abandon", &RunScope<RegionRun>::abandon, Unlocked());

  module.def("discard_output", &tape::discard_output, py::arg("x"), Unlocked());
  module.def("name", &tape::name, py::arg("x"), py::arg("name"), Unlocked());
}

}  // namespace reprise::python
