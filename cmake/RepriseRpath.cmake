# SPDX-License-Identifier: Apache-2.0
# Where installed programs and libraries look for shared libraries: beside them in the install tree,
# in the libtorch that they were built with, and where CMake found any other.
include(GNUInstallDirs)
file(RELATIVE_PATH lib_from_bin "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/${lib_from_bin}")
if(REPRISE_WITH_TORCH)
  # Named, since the next line leaves out what is inside the project, and .venv is.
  list(APPEND CMAKE_INSTALL_RPATH "$<TARGET_FILE_DIR:torch>")
endif()
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
