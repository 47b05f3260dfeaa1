// SPDX-License-Identifier: Apache-2.0
#include <ATen/Parallel.h>
#include <gmock/gmock.h>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  // Small tensors: more threads only cost time, and CI runs several tests side by side.
  at::set_num_threads(1);
  return RUN_ALL_TESTS();
}
