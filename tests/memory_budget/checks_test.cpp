// SPDX-License-Identifier: Apache-2.0
// MemoryBudgetOptions::checks_ops: ops that cannot be replayed are found, all others pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/library.h>
#include <torch/torch.h>

#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Gives another result each time it is called.
at::Tensor counting(const at::Tensor& x) {
  static double calls = 0;
  return x + ++calls;
}

// Writes its argument and does not say so.
at::Tensor scribbling(const at::Tensor& x) {
  x.detach().view(-1)[0].fill_(7);
  return x * 2;
}

TORCH_LIBRARY(reprise_checks_test, library) {
  library.def("counting(Tensor x) -> Tensor");
  library.def("scribbling(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(reprise_checks_test, CPU, library) {
  library.impl("counting", &counting);
  library.impl("scribbling", &scribbling);
}

at::Tensor call(const char* name, const at::Tensor& x) {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow(name, "")
      .typed<at::Tensor(const at::Tensor&)>()
      .call(x);
}

MemoryBudget checking_budget() { return MemoryBudget::share_of_peak(0.7, {.checks_ops = true}); }

TEST(MemoryBudgetChecks, PassOnOpsThatReplay) {
  Layers layers(6);
  const support::Tensors expected = layers.plain_gradients(32);
  MemoryBudget budget = checking_budget();
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), expected));
  }
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetChecks, FindAnOpWhoseReplayDiffers) {
  Layers layers(6);
  const support::Tensors expected = layers.plain_gradients(32);
  MemoryBudget budget = checking_budget();
  const at::Tensor x = torch::ones({4});
  EXPECT_THAT(
      [&] {
        const auto step = budget.step();
        call("reprise_checks_test::counting", x.sin());
      },
      ThrowsMessage<OpMismatch>(
          AllOf(HasSubstr("op 1 (reprise_checks_test::counting)"), HasSubstr("the same bits"))));
  EXPECT_EQ(live_hooks(), 0);
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), expected));
}

TEST(MemoryBudgetChecks, FindAnOpThatWritesWhatItOnlyShouldRead) {
  MemoryBudget budget = checking_budget();
  const at::Tensor x = torch::ones({4});
  EXPECT_THAT(
      [&] {
        const auto step = budget.step();
        call("reprise_checks_test::scribbling", x.sin());
      },
      ThrowsMessage<OpMismatch>(AllOf(HasSubstr("op 1 (reprise_checks_test::scribbling)"),
                                      HasSubstr("argument 0 to be only read"))));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetChecks, KeepNoGraphAlive) {
  const at::Tensor w = torch::ones({4}).requires_grad_();
  MemoryBudget budget(gib(1), {.checks_ops = true});
  for (int step = 0; step < 3; ++step) {
    {
      const auto scope = budget.step();
      const at::Tensor unused = (w * 2).exp().sin();
    }
    EXPECT_EQ(live_hooks(), 0);
  }
}

TEST(MemoryBudgetChecks, PassATensorThatIsGivenTwiceAndOneWithoutBytes) {
  const at::Tensor w = torch::ones({4}).requires_grad_();
  MemoryBudget budget(gib(1), {.checks_ops = true});
  const auto scope = budget.step();
  at::Tensor m = torch::full({4}, .5F);
  m.mul_(m).addcmul_(m, m);
  const at::Tensor none = at::_efficientzerotensor({4}, at::kFloat);
  (m * w + none).exp().sum().backward();
  EXPECT_TRUE(at::equal(w.grad(), m.exp().mul_(m)));
}

}  // namespace
}  // namespace reprise
