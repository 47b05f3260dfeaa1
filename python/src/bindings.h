// SPDX-License-Identifier: Apache-2.0
// The parts of the Python module, and how calls cross between the languages.
//
// Rules:
// 1. Everything of ours runs without the GIL: it takes locks, plans and runs ops. Only what calls
//    Python takes it, for as long as the call lasts.
//    Where a graph is dropped with the GIL, waiting for a lock of ours lets go of it
//    (patient_mutex.h).
// 2. What Python raises crosses libtorch as `python_error`, the one exception that its bindings and
//    its engine hand back to Python as it was.
#pragma once

#include <memory>
#include <utility>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>

namespace reprise::python {

void add_errors(py::module_& module);
void add_memory(py::module_& module);
void add_reports(py::module_& module);
void add_memory_budget(py::module_& module);
void add_regions(py::module_& module);

// A Python object that C++ owns: it may be let go on any thread, with or without the GIL.
using SharedObject = std::shared_ptr<py::object>;  // owned with copies of a std::function

inline SharedObject share(py::object object) {
  return {new py::object(std::move(object)), [](py::object* owned) {
            const py::gil_scoped_acquire gil;
            delete owned;
          }};
}

// Runs `call`, which calls Python, with the GIL.
template <class Call>
auto call_python(const Call& call) {
  const py::gil_scoped_acquire gil;
  try {
    return call();
  } catch (py::error_already_set& error) {
    error.restore();
    python_error crossing;
    crossing.persist();
    throw std::move(crossing);
  }
}

}  // namespace reprise::python
