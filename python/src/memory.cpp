// SPDX-License-Identifier: Apache-2.0
#include "reprise/memory.h"

#include <memory>
#include <string>

#include "python/src/bindings.h"
#include "python/src/owner_thread.h"
#include "reprise/label.h"
#include "reprise/tape/never_replay.h"
#include "reprise/tape/region.h"

namespace reprise::python {
namespace {

// A label for as long as a `with` block lasts.
class LabelScope {
 public:
  explicit LabelScope(std::string name) : name_(std::move(name)) {}
  void enter() {
    label_ = std::make_unique<Label>(name_);
    owner_ = OwnerThread();
  }
  void exit() {
    owner_.require_here("label");
    label_.reset();
  }
  ~LabelScope() {
    if (label_ && !owner_.is_here()) {
      static_cast<void>(label_.release());  // the other thread's labels are not ours to change
    }
  }
  LabelScope(const LabelScope&) = delete;
  LabelScope& operator=(const LabelScope&) = delete;

 private:
  std::string name_;
  std::unique_ptr<Label> label_;
  OwnerThread owner_;
};

}  // namespace

void add_memory(py::module_& module) {
  module.def("count_memory", &count_memory);
  module.def("is_counting_memory", &is_counting_memory);
  module.def("keep_freed_memory", &keep_freed_memory);
  module.def("format_bytes", &format_bytes);
  module.def("live_hooks", &tape::live_hooks);
  module.def("is_recomputing", &tape::is_recomputing);
  module.def("never_replay", &tape::never_replay, py::arg("op"));

  py::class_<MemoryMeter>(module, "MemoryMeter")
      .def(py::init<c10::Device>(), py::arg("device"))
      .def_property_readonly("live_bytes", &MemoryMeter::live_bytes)
      .def_property_readonly("start_bytes", &MemoryMeter::start_bytes)
      .def_property_readonly("peak_bytes", &MemoryMeter::peak_bytes)
      .def_property_readonly("total_peak_bytes", &MemoryMeter::total_peak_bytes);

  py::class_<LabelScope>(module, "LabelScope")
      .def(py::init<std::string>(), py::arg("name"))
      .def("enter", &LabelScope::enter)
      .def("exit", &LabelScope::exit);
}

}  // namespace reprise::python
