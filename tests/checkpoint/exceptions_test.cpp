// SPDX-License-Identifier: Apache-2.0
// Exceptions at any point, and graphs that are dropped without a backward, leave nothing behind.
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/memory.h"
#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_same_as_plain;
using support::Nest;
using support::ramp_leaf;
using support::Step;
using support::Tensors;

class Thrown : public std::runtime_error {
 public:
  Thrown() : std::runtime_error("thrown by the test") {}
};

constexpr int kSteps = 7;

// A function of kSteps steps that can be told to throw before one of them.
struct Function {
  int throw_before = -1;
  int step = 0;
  at::Tensor weight = ramp_leaf({3});
  at::Tensor counter = torch::zeros({}, torch::kLong);

  void next() {
    if (step++ == throw_before) {
      throw Thrown();
    }
  }
  at::Tensor operator()(const at::Tensor& t) {
    step = 0;
    next();
    at::Tensor h = t.sin();
    next();
    counter.add_(1);
    next();
    h = torch::dropout(h * weight, .5, true);
    next();
    h.mul_(2);
    next();
    h = checkpoint([](const at::Tensor& in) { return in.exp().cos(); }, h);
    next();
    h = h.tanh().exp();
    next();
    return h;
  }
};

class AtEachStep : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  int depth() const { return std::get<0>(GetParam()); }
  int step() const { return std::get<1>(GetParam()); }
};

Tensors plain_step() {
  Function fn;
  const at::Tensor x = ramp_leaf({3});
  torch::manual_seed(1);
  const at::Tensor y = fn(x);
  y.sum().backward();
  return {y.detach(), x.grad(), fn.weight.grad(), support::default_generator_state()};
}

Tensors step_in_regions(Function& fn, const at::Tensor& x, int depth) {
  torch::manual_seed(1);
  const at::Tensor y = Nest(depth, {})([&fn](const at::Tensor& t) { return fn(t); }, x);
  y.sum().backward();
  return {y.detach(), x.grad(), fn.weight.grad(), support::default_generator_state()};
}

TEST_P(AtEachStep, AnExceptionInTheFirstRunLeavesNothingAndTheNextStepWorks) {
  Function fn;
  const at::Tensor x = ramp_leaf({3});
  const MemoryMeter meter;
  fn.throw_before = step();

  EXPECT_THROW(step_in_regions(fn, x, depth()), Thrown);

  EXPECT_EQ(live_hooks(), 0);
  EXPECT_FALSE(is_recomputing());
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
  EXPECT_FALSE(x.grad().defined());
  fn.throw_before = -1;
  EXPECT_TRUE(support::bitwise_equal(step_in_regions(fn, x, depth()), plain_step()));
}

TEST_P(AtEachStep, AnExceptionInTheRerunLeavesNothingAndTheSameGraphCanBeTriedAgain) {
  Function fn;
  const at::Tensor x = ramp_leaf({3});
  const MemoryMeter meter;
  {
    torch::manual_seed(1);
    const at::Tensor y =
        Nest(depth(), support::rerunning())([&fn](const at::Tensor& t) { return fn(t); }, x);
    const at::Tensor generator = support::default_generator_state();
    const at::Tensor loss = y.sum();
    fn.throw_before = step();

    // The last steps come after all that the rerun needs.
    bool has_thrown = false;
    try {
      loss.backward({}, /*retain_graph=*/true);
    } catch (const Thrown&) {
      has_thrown = true;
    }

    EXPECT_EQ(has_thrown, step() < kSteps - 1);
    EXPECT_EQ(x.grad().defined(), !has_thrown);
    EXPECT_EQ(fn.weight.grad().defined(), !has_thrown);
    EXPECT_TRUE(support::bitwise_equal(generator, support::default_generator_state()));
    EXPECT_EQ(fn.counter.item<std::int64_t>(), 1);
    EXPECT_FALSE(is_recomputing());

    fn.throw_before = -1;
    x.mutable_grad() = at::Tensor();
    fn.weight.mutable_grad() = at::Tensor();
    loss.backward();
    EXPECT_TRUE(
        support::bitwise_equal({y.detach(), x.grad(), fn.weight.grad(), generator}, plain_step()));
  }
  EXPECT_EQ(live_hooks(), 0);
  x.mutable_grad() = at::Tensor();
  fn.weight.mutable_grad() = at::Tensor();
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
}

INSTANTIATE_TEST_SUITE_P(Exceptions, AtEachStep,
                         testing::Combine(testing::Values(1, 2, 3), testing::Range(0, kSteps)));

class AtDepth : public testing::TestWithParam<int> {};

TEST_P(AtDepth, AGraphThatIsDroppedWithoutBackwardLeavesNothing) {
  Function fn;
  const at::Tensor x = ramp_leaf({3});
  const MemoryMeter meter;

  for (int step = 0; step < 3; ++step) {
    Nest(GetParam(), {})([&fn](const at::Tensor& t) { return fn(t); }, x);
  }

  EXPECT_EQ(live_hooks(), 0);
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
}

TEST_P(AtDepth, AGraphThatIsDroppedAfterHalfABackwardLeavesNothing) {
  Function fn;
  const at::Tensor x = ramp_leaf({3});
  const MemoryMeter meter;

  {
    const at::Tensor y = Nest(GetParam(), {})([&fn](const at::Tensor& t) { return fn(t); }, x);
    torch::autograd::grad({y.sum()}, {fn.weight}, {}, /*retain_graph=*/true);
  }

  EXPECT_EQ(live_hooks(), 0);
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
}

TEST_P(AtDepth, AnInPlaceRegionThatIsDroppedWithoutBackwardLeavesNothing) {
  const at::Tensor x = ramp_leaf({3});
  const MemoryMeter meter;

  {
    at::Tensor t = x * 1;
    const at::Tensor y = Nest(GetParam(), {})(
        [](const at::Tensor& in) {
          in.mul_(2);
          return in;
        },
        t);
    const at::Tensor z = Nest(GetParam(), {})(
        [](const at::Tensor& in) {
          in.exp_();
          return in.sin();
        },
        y);
  }

  EXPECT_EQ(live_hooks(), 0);
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
}

TEST_P(AtDepth, AnExceptionInABackwardNodeOutsideLeavesNothing) {
  Function fn;
  const at::Tensor x = ramp_leaf({3});
  const MemoryMeter meter;

  {
    const at::Tensor before = x * 1;
    before.register_hook([](const at::Tensor& grad) -> at::Tensor {
      static_cast<void>(grad);
      throw Thrown();
    });
    const at::Tensor y = Nest(GetParam(), {})([&fn](const at::Tensor& t) { return fn(t); }, before);
    EXPECT_THROW(y.sum().backward(), Thrown);
  }

  fn.weight.mutable_grad() = at::Tensor();
  EXPECT_EQ(live_hooks(), 0);
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
}

TEST_P(AtDepth, AnExceptionInABackwardNodeInsideLeavesNoRecomputedValueBehind) {
  const at::Tensor x = ramp_leaf({256});
  const MemoryMeter meter;
  {
    bool throws = true;
    const at::Tensor y = Nest(GetParam(), {})(
        [&throws](const at::Tensor& t) {
          const at::Tensor h = t.sin().exp();
          h.register_hook([&throws](const at::Tensor& /*grad*/) {
            if (throws) {
              throw Thrown();
            }
          });
          return h.cos().tanh().exp();
        },
        x);
    const at::Tensor loss = y.sum();
    const std::int64_t before = meter.live_bytes();

    EXPECT_THROW(loss.backward({}, /*retain_graph=*/true), Thrown);
    EXPECT_EQ(meter.live_bytes(), before);

    throws = false;
    loss.backward();
  }
  const at::Tensor plain = ramp_leaf({256});
  plain.sin().exp().cos().tanh().exp().sum().backward();
  EXPECT_TRUE(support::bitwise_equal(x.grad(), plain.grad()));
  EXPECT_EQ(live_hooks(), 0);
}

TEST_P(AtDepth, HooksOfABackwardThatThrewAreAliveAsLongAsItsGraphIs) {
  Function fn;
  const at::Tensor x = ramp_leaf({3});
  at::Tensor loss =
      Nest(GetParam(), support::rerunning())([&fn](const at::Tensor& t) { return fn(t); }, x).sum();
  const std::int64_t before = live_hooks();
  fn.throw_before = 1;

  EXPECT_THROW(loss.backward(), Thrown);

  EXPECT_GT(before, 0);
  EXPECT_EQ(live_hooks(), before);
  loss = at::Tensor();
  EXPECT_EQ(live_hooks(), 0);
}

INSTANTIATE_TEST_SUITE_P(Exceptions, AtDepth, testing::Values(1, 2, 3));

// A state of the user's whose second callback throws when it is called for the `bad_call`th time.
struct ThrowingStates {
  int first = 1;
  int calls = 0;
  int bad_call = 0;

  std::vector<UserState> declared() {
    return {copied_state(first),
            {[] { return std::any(); },
             [this](const std::any&) {
               if (++calls == bad_call) {
                 throw Thrown();
               }
             }}};
  }
};

void expect_states_survive(int bad_call) {
  ThrowingStates states{.bad_call = bad_call};
  const at::Tensor x = ramp_leaf({3});
  const auto fn = [&states](const at::Tensor& t) { return (t * states.first).sin(); };
  CheckpointOptions options = support::rerunning();
  options.states = states.declared();
  const auto step = [&] { checkpoint(options, fn, x).sum().backward(); };

  EXPECT_THROW(
      {
        const at::Tensor y = checkpoint(options, fn, x);
        states.first = 7;
        y.sum().backward();
      },
      Thrown);

  EXPECT_EQ(states.first, 7);
  EXPECT_FALSE(x.grad().defined());
  EXPECT_NO_THROW(step());
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Exceptions, AStateThatCannotBeBroughtBackLeavesTheOthersAsTheyWere) {
  expect_states_survive(/*bad_call=*/1);
}

TEST(Exceptions, AStateThatCannotBePutBackAfterwardsIsAnErrorNotTheEnd) {
  expect_states_survive(/*bad_call=*/2);
}

TEST(Exceptions, AFunctionThatTranslatesExceptionsStillStopsEarly) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor w = ramp_leaf({3, 3});
    const at::Tensor x = ramp_leaf({2, 3});
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          try {
            return t.mm(w).tanh().mm(w).sum();
          } catch (const std::exception& error) {
            throw std::runtime_error(std::string("layer 3: ") + error.what());
          }
        },
        x);
    y.backward();
    return Step{.outputs = {y}, .leaves = {w, x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Exceptions, AFunctionThatCatchesEverythingStillStopsEarly) {
  const at::Tensor x = ramp_leaf({3});
  const auto fn = [](const at::Tensor& t) {
    at::Tensor h = t;
    for (int i = 0; i < 3; ++i) {
      try {
        h = h.sin();
      } catch (...) {  // NOLINT(bugprone-empty-catch): what is tested
      }
    }
    return h;
  };
  checkpoint(fn, x).sum().backward();

  const at::Tensor plain = ramp_leaf({3});
  fn(plain).sum().backward();
  EXPECT_TRUE(support::bitwise_equal(x.grad(), plain.grad()));
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace
}  // namespace reprise
