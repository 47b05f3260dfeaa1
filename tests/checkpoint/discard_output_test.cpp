// SPDX-License-Identifier: Apache-2.0
// discard_output(): a result of a region goes with its last handle, although backward needs it.
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::ramp;
using support::ramp_leaf;
using support::throws_modified_in_place;
using WeakStorage = c10::weak_intrusive_ptr<c10::StorageImpl>;

CheckpointOptions counted() {
  CheckpointOptions options;
  options.stats = std::make_shared<RegionStats>();
  return options;
}

at::Tensor sin_exp(const at::Tensor& t) { return t.sin().exp(); }

// Two consumers: the first saves the region's result, the second its own argument.
struct TwoLayers {
  at::Tensor x = ramp_leaf({3});
  at::Tensor w = ramp_leaf({3});
  WeakStorage storage{c10::intrusive_ptr<c10::StorageImpl>()};  // of the result
  CheckpointOptions options = counted();

  at::Tensor forward(bool discards) {
    at::Tensor y = checkpoint(options, sin_exp, x);
    storage = y.storage().getWeakStorageImpl();
    return (discards ? discard_output(y) : y).mul(w).cos();
  }
};

class DiscardOutput : public testing::Test {
 protected:
  DiscardOutput() { plain.forward(false).sum().backward(); }

  void expect_same_gradients() const {
    EXPECT_TRUE(bitwise_equal(discarding.x.grad(), plain.x.grad()));
    EXPECT_TRUE(bitwise_equal(discarding.w.grad(), plain.w.grad()));
    EXPECT_EQ(live_hooks(), 0);
  }

  TwoLayers plain;
  TwoLayers discarding;
};

TEST_F(DiscardOutput, FreesItsBytesWithTheLastHandle) {
  {
    const at::Tensor z = discarding.forward(true);
    EXPECT_TRUE(discarding.storage.expired());
    z.sum().backward();
  }
  expect_same_gradients();
  EXPECT_EQ(discarding.options.stats->total().recomputed_ops, 2);
}

TEST_F(DiscardOutput, WithoutItTheConsumerKeepsThem) {
  const at::Tensor z = discarding.forward(false);
  EXPECT_FALSE(discarding.storage.expired());
}

TEST_F(DiscardOutput, IsRightAlsoWhileTheResultIsHeld) {
  {
    const at::Tensor y = discard_output(checkpoint(discarding.options, sin_exp, discarding.x));
    y.mul(discarding.w).cos().sum().backward();
  }
  expect_same_gradients();
  EXPECT_EQ(discarding.options.stats->total().recomputed_ops, 0);
}

TEST_F(DiscardOutput, BringsTheValueBackInEachBackward) {
  {
    const at::Tensor z = discarding.forward(true).sum();
    z.backward({}, /*retain_graph=*/true);
    discarding.x.mutable_grad().reset();
    discarding.w.mutable_grad().reset();
    z.backward();
  }
  expect_same_gradients();
  EXPECT_EQ(discarding.options.stats->total().recomputed_ops, 4);
}

TEST_F(DiscardOutput, WorksUnderADoubleBackward) {
  const auto second_gradient = [](TwoLayers& layers, bool discards) {
    const at::Tensor z = layers.forward(discards).sum();
    const at::Tensor first =
        torch::autograd::grad({z}, {layers.x}, {}, std::nullopt, /*create_graph=*/true)[0];
    return torch::autograd::grad({first.sum()}, {layers.w})[0];
  };
  EXPECT_TRUE(bitwise_equal(second_gradient(discarding, true), second_gradient(plain, false)));
  EXPECT_EQ(live_hooks(), 0);
}

TEST_F(DiscardOutput, OtherSavedTensorsAreCheckedAsAlways) {
  {
    const at::Tensor y = discard_output(checkpoint(sin_exp, discarding.x));
    const at::Tensor other = discarding.w.exp();  // saves its result
    const at::Tensor z = (y * other).sum();
    {
      const torch::NoGradGuard no_grad;
      other.add_(1);
    }
    EXPECT_THAT([&] { z.backward(); }, throws_modified_in_place());
  }
  EXPECT_EQ(live_hooks(), 0);
}

TEST_F(DiscardOutput, AResultThatIsChangedInPlaceIsAnError) {
  {
    const at::Tensor y = discard_output(checkpoint(sin_exp, discarding.x));
    const at::Tensor z = y.mul(discarding.w).sum();
    {
      const torch::NoGradGuard no_grad;
      y.add_(1);
    }
    EXPECT_THAT([&] { z.backward(); }, throws_modified_in_place());
  }
  EXPECT_EQ(live_hooks(), 0);
}

TEST_F(DiscardOutput, IsNothingWithoutGradients) {
  const at::Tensor x = ramp({3});
  EXPECT_TRUE(discard_output(x).is_same(x));
}

TEST_F(DiscardOutput, IsNothingInsideOfARegion) {
  const at::Tensor z = checkpoint(
      [&](const at::Tensor& t) {
        return discard_output(checkpoint(sin_exp, t)).mul(discarding.w).cos();
      },
      discarding.x);
  z.sum().backward();
  EXPECT_TRUE(bitwise_equal(discarding.x.grad(), plain.x.grad()));
}

TEST_F(DiscardOutput, OfALeafIsRefused) {
  EXPECT_THAT([&] { discard_output(discarding.x); },
              testing::ThrowsMessage<std::invalid_argument>(
                  testing::HasSubstr("expected a result of a region, got a leaf of shape [3]")));
}

// What consumes `result` gets the gradients that it has without discard_output().
void expect_kept(const std::function<at::Tensor(const at::Tensor& x)>& result) {
  const auto gradients = [&](bool discards) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor w = ramp_leaf({3});
    const at::Tensor y = result(x);
    (discards ? discard_output(y) : y).mul(w).cos().sum().backward();
    return support::Tensors{x.grad(), w.grad()};
  };
  EXPECT_TRUE(bitwise_equal(gradients(true), gradients(false)));
  EXPECT_EQ(live_hooks(), 0);
}

TEST_F(DiscardOutput, IsNothingForWhatTheRegionCannotBringBack) {
  CheckpointOptions rerun;
  rerun.recompute = Recompute::kRerun;
  expect_kept([](const at::Tensor& x) { return x * 2; });
  expect_kept([&](const at::Tensor& x) { return checkpoint(rerun, sin_exp, x); });
  // Backward needs nothing from inside.
  expect_kept(
      [](const at::Tensor& x) { return checkpoint([](const at::Tensor& t) { return t * 2; }, x); });
  // Passed on.
  expect_kept([](const at::Tensor& x) {
    const auto both = [](const at::Tensor& t) { return std::pair(t.view({3}), t.sin().exp()); };
    return checkpoint(both, x * 1).first;
  });
}

TEST_F(DiscardOutput, AResultThatIsWrittenBeforeItsConsumerIsKept) {
  expect_kept([](const at::Tensor& x) {
    // add saves nothing, so plain autograd takes the write.
    return checkpoint([](const at::Tensor& t) { return t.sin().exp().add(1); }, x).relu_();
  });
}

TEST_F(DiscardOutput, AResultThatIsWrittenAfterItWasDiscardedIsKept) {
  const auto gradient = [](bool discards) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor w = ramp_leaf({3});
    at::Tensor y = checkpoint([](const at::Tensor& t) { return t.sin().exp().add(1); }, x);
    if (discards) {
      discard_output(y);
    }
    y.mul_(-2);
    y.mul(w).sum().backward();
    return support::Tensors{x.grad(), w.grad()};
  };
  EXPECT_TRUE(bitwise_equal(gradient(true), gradient(false)));
}

TEST_F(DiscardOutput, AResultThatOutlivesItsRegionIsKept) {
  const at::Tensor w = ramp_leaf({3});
  at::Tensor y = discard_output(checkpoint(sin_exp, discarding.x));
  y.sum().backward();
  const at::Tensor value = y.detach().clone();
  const at::Tensor z = y.detach().mul(w).sum();
  y.reset();
  z.backward();
  EXPECT_TRUE(bitwise_equal(w.grad(), value));
  EXPECT_EQ(live_hooks(), 0);
}

TEST_F(DiscardOutput, LeavesNoHookBehind) {
  discarding.forward(true).sum().backward();
  const at::Tensor z = ramp_leaf({3}).exp();
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace
}  // namespace reprise
