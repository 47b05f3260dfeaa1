# SPDX-License-Identifier: Apache-2.0
# Finds libtorch: target `torch`.
#
# The package of a CUDA build stops with an error unless it finds the CUDA toolkit, which only code
# with CUDA headers or kernels needs; this project has neither. The package does not look for the
# toolkit when its target torch::cudart is there already. A CPU build does not use that target.
if(NOT TARGET torch::cudart)
  add_library(torch::cudart INTERFACE IMPORTED)
endif()
find_package(Torch 2.13 REQUIRED)
