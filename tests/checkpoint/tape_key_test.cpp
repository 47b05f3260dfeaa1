// SPDX-License-Identifier: Apache-2.0
// The dispatch key that regions watch ops on is borrowed: whoever else takes it must be noticed. An
// executable of its own, as registrations are those of the process.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/library.h>
#include <torch/torch.h>

#include "reprise/checkpoint.h"

namespace reprise {
namespace {

at::Tensor run_region(const at::Tensor& x) {
  return checkpoint([](const at::Tensor& t) { return t.sin().exp(); }, x);
}

TEST(TapeKey, TakenBySomebodyElseIsAClearErrorUntilItIsGivenBack) {
  const at::Tensor x = torch::ones({2}, torch::requires_grad());
  {
    torch::Library other(torch::Library::IMPL, "_", c10::DispatchKey::Fake, __FILE__, __LINE__);
    other.fallback(torch::CppFunction::makeFallthrough());

    EXPECT_THAT([&] { run_region(x); },
                testing::ThrowsMessage<std::runtime_error>(
                    testing::HasSubstr("somebody else has registered a fallback")));
    EXPECT_EQ(live_hooks(), 0);
  }

  run_region(x).sum().backward();

  EXPECT_TRUE(x.grad().defined());
}

}  // namespace
}  // namespace reprise
