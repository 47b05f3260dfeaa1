# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)

# reprise_warnings(<target>): the warnings of all code that is not a test; errors for developers.
function(reprise_warnings target)
  # GCC 12 at -O3 sees overlaps in std::string that are not there (its bug 105651).
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<BOOL:${REPRISE_DEVELOPER}>:-Werror>)
endfunction()

# reprise_library(<layer> SOURCES ... HEADERS ... [PUBLIC ...] [PRIVATE ...])
# Defines target reprise_<layer> and alias reprise::<layer>. HEADERS are installed; others stay private.
function(reprise_library layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE")
  add_library(reprise_${layer} ${arg_SOURCES})
  add_library(reprise::${layer} ALIAS reprise_${layer})
  set_target_properties(reprise_${layer} PROPERTIES EXPORT_NAME ${layer} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(reprise_${layer} PUBLIC cxx_std_20)
  target_sources(reprise_${layer} PUBLIC
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${arg_HEADERS})
  target_link_libraries(reprise_${layer} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  reprise_warnings(reprise_${layer})
  install(TARGETS reprise_${layer} EXPORT repriseTargets FILE_SET HEADERS)
endfunction()

# reprise_torch_headers(<target>): the one precompiled torch header, built once and shared by every
# target that needs torch/torch.h (one translation unit of it takes 12-28 s). Libraries and programs
# get the same -fPIC: GCC refuses a precompiled header made with another setting (-fPIE). With
# -fpch-preprocess ccache can keep what is compiled with a precompiled header.
function(reprise_torch_headers target)
  set(pch_options -fPIC $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  if(NOT TARGET reprise_torch_pch)
    file(WRITE "${PROJECT_BINARY_DIR}/torch_pch.cpp" "int main() { return 0; }\n")
    add_library(reprise_torch_pch STATIC EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/torch_pch.cpp")
    target_link_libraries(reprise_torch_pch PRIVATE torch)
    target_compile_features(reprise_torch_pch PRIVATE cxx_std_20)
    target_compile_options(reprise_torch_pch PRIVATE ${pch_options})
    target_precompile_headers(reprise_torch_pch PRIVATE <torch/torch.h>)
  endif()
  target_link_libraries(${target} PRIVATE torch)
  target_precompile_headers(${target} REUSE_FROM reprise_torch_pch)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE ${pch_options} -Winvalid-pch)
endfunction()

# reprise_test(<file> <libraries>...): one executable per *_test.cpp, every TEST in it known to ctest.
function(reprise_test file)
  string(REGEX REPLACE "[/.]" "_" name ${file})  # the path, so that two layers may have a chain_test.cpp
  add_executable(${name} ${file})
  target_link_libraries(${name} PRIVATE GTest::gmock_main ${ARGN})
  target_compile_options(${name} PRIVATE -Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -Werror)
  gtest_discover_tests(${name})
endfunction()

# reprise_torch_tests(<name> FILES ... LIBRARIES ...): one executable for a layer's tests, sharing the
# precompiled torch header; still one *_test.cpp per source and every TEST known to ctest.
function(reprise_torch_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES;LIBRARIES")
  add_executable(${name} ${arg_FILES})
  target_link_libraries(${name} PRIVATE GTest::gmock ${arg_LIBRARIES})
  target_compile_options(${name} PRIVATE -Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -Werror)
  reprise_torch_headers(${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()

# reprise_bench(<file> <libraries>...): a program that `make bench` runs.
function(reprise_bench file)
  get_filename_component(name ${file} NAME_WE)
  add_executable(${name} ${file})
  target_link_libraries(${name} PRIVATE ${ARGN})
  reprise_warnings(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/bench")
  reprise_torch_headers(${name})
  add_dependencies(benches ${name})
endfunction()
