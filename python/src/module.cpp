// SPDX-License-Identifier: Apache-2.0
// reprise._core: what the Python package calls. Its documented face is the package (../reprise).
#include "python/src/bindings.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ library behind reprise.";
  reprise::python::add_errors(module);
  reprise::python::add_memory(module);
  reprise::python::add_reports(module);
  reprise::python::add_memory_budget(module);
  reprise::python::add_regions(module);
}
