// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include "reprise/checkpoint.h"

// With --rerun, regions that do not say how they recompute rerun.
int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == "--rerun") {
    reprise::set_default_recompute(reprise::Recompute::kRerun);
  }
  // Small tensors: more threads only cost time, and CI runs several tests side by side.
  at::set_num_threads(1);
  return RUN_ALL_TESTS();
}
