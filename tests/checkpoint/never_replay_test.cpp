// SPDX-License-Identifier: Apache-2.0
// Ops that the user has declared run once, and what they make is kept.
#include "reprise/tape/never_replay.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/library.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::ramp_leaf;

int calls = 0;

// Another number with each call.
at::Tensor tick(const at::Tensor& x) { return x + ++calls; }

TORCH_LIBRARY(reprise_never_replay_test, library) {
  library.def("tick(Tensor x) -> Tensor");
  library.def("tock(Tensor x) -> Tensor");
  library.def("tack(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(reprise_never_replay_test, CPU, library) {
  library.impl("tick", &tick);
  library.impl("tock", &tick);
  library.impl("tack", &tick);
}

at::Tensor call(const char* name, const at::Tensor& x) {
  const auto op = c10::Dispatcher::singleton()
                      .findSchemaOrThrow(name, "")
                      .typed<at::Tensor(const at::Tensor&)>();
  // No derivative is registered: what it makes goes beside the graph.
  const torch::NoGradGuard no_grad;
  return op.call(x);
}

// The gradient with respect to x of a step whose backward needs what the op made.
at::Tensor gradient(const std::function<at::Tensor(const at::Tensor&)>& run) {
  calls = 0;
  const at::Tensor x = ramp_leaf({3});
  run(x).sum().backward();
  return x.grad();
}

class NeverReplay : public testing::Test {
 protected:
  static at::Tensor layer(const at::Tensor& t) {
    return (t * call("reprise_never_replay_test::tick", t).exp()).sin();
  }
  at::Tensor plain = gradient(&layer);
};

TEST_F(NeverReplay, AnOpOfARegionRunsOnce) {
  never_replay("reprise_never_replay_test::tick");
  EXPECT_TRUE(bitwise_equal(
      gradient([](const at::Tensor& x) { return checkpoint(support::replaying(), &layer, x); }),
      plain));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(live_hooks(), 0);
}

TEST_F(NeverReplay, AnOpOfAStepUnderABudgetRunsOnce) {
  never_replay("reprise_never_replay_test::tick");
  MemoryBudget budget = support::smallest_budget();
  for (int step = 0; step < 3; ++step) {
    const auto scope = budget.step();
    EXPECT_TRUE(bitwise_equal(gradient(&layer), plain));
    EXPECT_EQ(calls, 1);
  }
}

TEST_F(NeverReplay, CountsAlsoForAnOpThatWasSeenBefore) {
  const auto tocked = [](const at::Tensor& t) {
    return (t * call("reprise_never_replay_test::tock", t).exp()).sin();
  };
  const auto region = [&](const at::Tensor& x) {
    return checkpoint(support::replaying(), tocked, x);
  };
  gradient(region);
  EXPECT_EQ(calls, 2);
  never_replay("reprise_never_replay_test::tock");
  EXPECT_TRUE(bitwise_equal(gradient(region), plain));
  EXPECT_EQ(calls, 1);
}

TEST_F(NeverReplay, CountsAlsoForAPassThatIsKnown) {
  const auto tacked = [](const at::Tensor& t) {
    return (t * call("reprise_never_replay_test::tack", t).exp()).sin();
  };
  MemoryBudget budget = support::smallest_budget();
  for (int step = 0; step < 4; ++step) {
    if (step == 2) {
      never_replay("reprise_never_replay_test::tack");
    }
    const auto scope = budget.step();
    EXPECT_TRUE(step < 2 || bitwise_equal(gradient(tacked), plain));
    EXPECT_TRUE(step < 2 || calls == 1);
  }
}

TEST(NeverReplayArguments, AnOperatorThatDoesNotExistIsRefused) {
  EXPECT_THAT([] { never_replay("my_ops::sned"); }, testing::ThrowsMessage<std::invalid_argument>(
                                                        testing::HasSubstr("got 'my_ops::sned'")));
}

}  // namespace
}  // namespace reprise
