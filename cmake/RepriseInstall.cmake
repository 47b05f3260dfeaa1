# SPDX-License-Identifier: Apache-2.0
# The install tree: headers, libraries and the package that find_package(reprise) reads.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/reprise")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/repriseConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/repriseConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/repriseConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/repriseConfig.cmake"
  "${PROJECT_BINARY_DIR}/repriseConfigVersion.cmake" DESTINATION "${package_dir}")
install(EXPORT repriseTargets NAMESPACE reprise:: DESTINATION "${package_dir}")
