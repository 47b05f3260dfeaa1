// SPDX-License-Identifier: Apache-2.0
// Our exceptions as Python's. The classes are the package's (../reprise/errors.py).
#include <stdexcept>
#include <string>

#include "python/src/bindings.h"
#include "reprise/memory_budget.h"
#include "reprise/plan/format_error.h"
#include "reprise/tape/patient_mutex.h"
#include "reprise/tape/raise.h"
#include "reprise/tape/replay_mismatch.h"

namespace reprise::python {
namespace {

py::object error_class(const char* name) {
  return py::module_::import("reprise.errors").attr(name);
}

// The Python exception for an error of ours; nothing for others.
py::object as_python(const std::exception& error) {
  if (const auto* budget = dynamic_cast<const BudgetError*>(&error)) {
    py::object made = error_class("BudgetError")(budget->what());
    made.attr("minimum_bytes") = budget->minimum_bytes;
    return made;
  }
  if (const auto* mismatch = dynamic_cast<const tape::ReplayMismatch*>(&error)) {
    return error_class("ReplayMismatch")(mismatch->what());
  }
  if (const auto* mismatch = dynamic_cast<const OpMismatch*>(&error)) {
    return error_class("OpMismatch")(mismatch->what());
  }
  if (const auto* format = dynamic_cast<const FormatError*>(&error)) {
    return error_class("FormatError")(format->what());
  }
  return {};
}

void set_python_error(const py::object& error) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

// Called out of ops and backward, without the GIL as a rule.
void throw_as_python(const std::exception& error) {
  const py::gil_scoped_acquire gil;
  const py::object made = as_python(error);
  if (made) {
    set_python_error(made);
    python_error crossing;
    crossing.persist();
    throw std::move(crossing);
  }
}

void wait_without_gil(void (*wait)(std::recursive_mutex&), std::recursive_mutex& mutex) {
  if (PyGILState_Check() != 0) {
    const py::gil_scoped_release unlocked;
    wait(mutex);
  } else {
    wait(mutex);
  }
}

// What leaves a function of this module.
void translate_for_caller(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    const py::object made = as_python(error);
    if (!made) {
      throw;
    }
    set_python_error(made);
  }
}

}  // namespace

void add_errors(py::module_& /*module*/) {
  py::register_exception_translator(&translate_for_caller);
  tape::set_error_translator(&throw_as_python);
  tape::set_wait_without(&wait_without_gil);
}

}  // namespace reprise::python
