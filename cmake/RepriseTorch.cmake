# SPDX-License-Identifier: Apache-2.0
# Finds libtorch: target `torch`.
#
# The package of a CUDA build stops with an error unless it finds the CUDA toolkit, which only code
# with CUDA headers or kernels needs; this project has neither. The package does not look for the
# toolkit when its target torch::cudart is there already. A CPU build does not use that target.
if(NOT TARGET torch::cudart)
  add_library(torch::cudart INTERFACE IMPORTED)
endif()
if(REPRISE_WITH_PYTHON)
  # The module runs inside of a Python process: only the torch of that Python will do.
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
  execute_process(COMMAND "${Python_EXECUTABLE}" -c
    "from importlib.util import find_spec; print(find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT python_torch)
    message(FATAL_ERROR "expected a Python with torch 2.13 installed, got ${Python_EXECUTABLE}, "
      "which has no torch: pip install torch==2.13.0, and pip install --no-build-isolation .")
  endif()
  set(Torch_DIR "${python_torch}/share/cmake/Torch" CACHE PATH "" FORCE)
endif()
find_package(Torch 2.13 REQUIRED)
