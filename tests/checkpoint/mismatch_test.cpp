// SPDX-License-Identifier: Apache-2.0
// Reruns that differ from the first run, and tensors that were changed in between (UC-08, UC-14,
// P8): an error before any gradient of the region, and the next step works.
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_same_as_plain;
using support::is_close;
using support::leaf;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::Step;
using support::throws_modified_in_place;
using support::values;
using testing::ElementsAre;
using testing::HasSubstr;

CheckpointOptions named(const std::string& name) {
  CheckpointOptions options = support::rerunning();
  options.name = name;
  return options;
}

// Runs backward and returns what the mismatch says.
MismatchDetails mismatch_of(const std::function<void()>& backward) {
  try {
    backward();
  } catch (const ReplayMismatch& error) {
    return error.details();
  }
  ADD_FAILURE() << "no ReplayMismatch was thrown";
  return {};
}

// UC-08: a key cache that grows.
struct GrowingCache {
  std::vector<at::Tensor> keys;
  at::Tensor weight = support::leaf({.5, .5, .5, .5}, {2, 2});

  at::Tensor attend(const at::Tensor& t) {
    const at::Tensor key = t.mm(weight);
    std::vector<at::Tensor> all = keys;
    all.push_back(key);
    const at::Tensor joined = torch::cat(all);
    keys.push_back(key.detach());
    return t.mm(joined.t()).softmax(-1).mm(joined);
  }
};

at::Tensor cache_input() { return leaf({.1, .2, .3, .4, .5, .6}, {3, 2}); }

TEST(Mismatch, OfAGrowingCacheNamesTheFirstTensorThatDiffers) {
  GrowingCache cache;
  const at::Tensor x = cache_input();
  {
    const at::Tensor y = checkpoint(
        named("attention"), [&](const at::Tensor& t) { return cache.attend(t); }, x);

    const MismatchDetails details = mismatch_of([&] { y.sum().backward(); });

    EXPECT_EQ(details.region, "attention");
    EXPECT_THAT(details.saved, HasSubstr("[2, 3]"));
    EXPECT_THAT(details.recomputed, HasSubstr("[2, 6]"));
    EXPECT_THAT(details.saved_op, HasSubstr("aten::mm"));
    EXPECT_GE(details.position, 0);
    EXPECT_THAT(ReplayMismatch(details).what(),
                testing::AllOf(HasSubstr("attention"), HasSubstr("[2, 3]"), HasSubstr("[2, 6]")));
  }
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(cache.weight.grad().defined());
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Mismatch, IsAvoidedByDeclaringTheCache) {
  GrowingCache cache;
  CheckpointOptions options;
  options.states = {copied_state(cache.keys)};
  const auto runs = expect_same_as_plain(
      [&](const Nest& region) {
        cache = GrowingCache();
        const at::Tensor x = cache_input();
        const at::Tensor y = region([&](const at::Tensor& t) { return cache.attend(t); }, x);
        y.sum().backward();
        EXPECT_EQ(cache.keys.size(), 1u);
        return Step{.outputs = {y}, .leaves = {x, cache.weight}, .buffers = cache.keys};
      },
      options);

  EXPECT_TRUE(
      is_close(runs[1].gradients[0], {.787967, .787967, 1.02932, 1.02932, 1.34083, 1.34083}, 1e-5));
  EXPECT_TRUE(is_close(runs[1].gradients[1], {1.0029, 1.01871, 1.3029, 1.31871}, 1e-5));
}

TEST(Mismatch, IsAvoidedByAskingIsRecomputing) {
  GrowingCache cache;
  const at::Tensor x = cache_input();
  const at::Tensor y = checkpoint(
      [&](const at::Tensor& t) {
        const at::Tensor key = t.mm(cache.weight);
        if (!is_recomputing()) {
          cache.keys.push_back(key.detach());
        }
        return t.mm(key.t()).softmax(-1).mm(key);
      },
      x);
  y.sum().backward();

  EXPECT_EQ(cache.keys.size(), 1u);
  EXPECT_TRUE(is_close(x.grad(), {.787967, .787967, 1.02932, 1.02932, 1.34083, 1.34083}, 1e-5));
}

// UC-14 A.
TEST(Mismatch, OfAShapeIsThrownBeforeAnyGradientOfTheRegion) {
  const at::Tensor w = ramp_leaf({3, 3});
  const at::Tensor x = ramp_leaf({3, 3});
  const at::Tensor head = ramp_leaf({3});
  int calls = 0;
  {
    const at::Tensor y = checkpoint(
        named("experts"),
        [&](const at::Tensor& t) {
          const at::Tensor chosen =
              ++calls == 1 ? torch::tensor({0, 2}) : torch::tensor(std::vector<std::int64_t>{0});
          return t.index_select(0, chosen).mm(w).tanh().sum(0);
        },
        x);

    const MismatchDetails details = mismatch_of([&] { (y * head).sum().backward(); });

    EXPECT_EQ(details.region, "experts");
    EXPECT_THAT(details.saved,
                testing::AllOf(HasSubstr("[2]"), HasSubstr("Long"), HasSubstr("cpu")));
    EXPECT_THAT(details.recomputed, testing::AllOf(HasSubstr("[1]"), HasSubstr("Long")));
    EXPECT_THAT(details.saved_op, HasSubstr("aten::index_select"));
  }
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(w.grad().defined());
  EXPECT_EQ(live_hooks(), 0);

  // The next step works.
  checkpoint(
      support::rerunning(), [&](const at::Tensor& t) { return t.mm(w).tanh(); }, x)
      .sum()
      .backward();
  const at::Tensor got = w.grad().clone();
  w.mutable_grad() = at::Tensor();
  x.mm(w).tanh().sum().backward();
  EXPECT_TRUE(support::bitwise_equal(got, w.grad()));
}

// UC-14 B.
TEST(Mismatch, OfTheNumberOfValuesGivesBothCountsAndTheFirstDifferingOp) {
  const at::Tensor x = ramp_leaf({3});
  int calls = 0;
  const at::Tensor y = checkpoint(
      support::rerunning(),
      [&](const at::Tensor& t) {
        const at::Tensor h = t.exp();
        return ++calls == 1 ? h.cos().sin() : h.cos();
      },
      x);

  const MismatchDetails details = mismatch_of([&] { y.sum().backward(); });

  EXPECT_EQ(details.saved, "3 values");
  EXPECT_EQ(details.recomputed, "2 values");
  EXPECT_EQ(details.first_different_op, "op 2: ran aten::sin, then nothing");
  EXPECT_FALSE(x.grad().defined());
}

TEST(Mismatch, OfMoreValuesIsSeenByARerunThatGoesToTheEnd) {
  const at::Tensor x = ramp_leaf({3});
  int calls = 0;
  CheckpointOptions options = support::rerunning();
  options.stops_early = false;
  const at::Tensor y = checkpoint(
      options,
      [&](const at::Tensor& t) {
        const at::Tensor h = t.exp();
        return ++calls == 1 ? h.cos() : h.cos().sin();
      },
      x);

  const MismatchDetails details = mismatch_of([&] { y.sum().backward(); });

  EXPECT_EQ(details.saved, "2 values");
  EXPECT_EQ(details.recomputed, "3 values");
  EXPECT_EQ(details.first_different_op, "op 2: ran nothing, then aten::sin");
}

// UC-14 C.
TEST(Mismatch, OfACapturedFunctionThatWasReplacedIsFound) {
  struct Model {
    std::function<at::Tensor(const at::Tensor&)> activation = [](const at::Tensor& t) {
      return t.exp().sin();
    };
  } model;
  const at::Tensor x = ramp_leaf({3});
  const at::Tensor y = checkpoint(
      named("model"), [&](const at::Tensor& t) { return model.activation(t); }, x);
  model.activation = [](const at::Tensor& t) { return t + 1; };

  const MismatchDetails details = mismatch_of([&] { y.sum().backward(); });

  EXPECT_EQ(details.region, "model");
  EXPECT_EQ(details.saved, "2 values");
  EXPECT_EQ(details.recomputed, "0 values");
  EXPECT_EQ(details.first_different_op, "op 0: ran aten::exp, then aten::add");
  EXPECT_FALSE(x.grad().defined());
}

TEST(Mismatch, OfACapturedFunctionThatWasResetIsTheErrorOfTheCall) {
  std::function<at::Tensor(const at::Tensor&)> activation = [](const at::Tensor& t) {
    return t.exp().sin();
  };
  const at::Tensor x = ramp_leaf({3});
  const at::Tensor y = checkpoint(
      support::rerunning(), [&](const at::Tensor& t) { return activation(t); }, x);
  activation = nullptr;

  EXPECT_THROW(y.sum().backward(), std::bad_function_call);
  EXPECT_FALSE(x.grad().defined());
}

TEST(Mismatch, OfARerunThatDrawsAndWritesMoreLeavesNoTrace) {
  const at::Tensor x = ramp_leaf({3});
  const at::Tensor counter = torch::zeros({}, torch::kLong);
  int calls = 0;
  const at::Tensor y = checkpoint(
      support::rerunning(),
      [&](const at::Tensor& t) {
        if (++calls == 1) {
          return t.exp().cos();
        }
        counter.add_(1);
        return (t * torch::rand({2, 3}, torch::kDouble)).exp();
      },
      x);
  const at::Tensor generator = support::default_generator_state();

  EXPECT_THROW(y.sum().backward(), ReplayMismatch);

  EXPECT_TRUE(support::bitwise_equal(generator, support::default_generator_state()));
  EXPECT_EQ(counter.item<std::int64_t>(), 0);
  EXPECT_EQ(counter._version(), 0);
}

TEST(Mismatch, WithDebugBothOpListsAreGiven) {
  const at::Tensor x = ramp_leaf({3});
  int calls = 0;
  CheckpointOptions options = named("both");
  options.debug = true;
  const at::Tensor y = checkpoint(
      options,
      [&](const at::Tensor& t) {
        return ++calls == 1 ? t.exp().cos().sin() : t.exp().mean().sin();
      },
      x);

  const MismatchDetails details = mismatch_of([&] { y.sum().backward(); });

  EXPECT_THAT(details.first_ops, ElementsAre("aten::exp", "aten::cos", "aten::sin"));
  EXPECT_THAT(details.rerun_ops, ElementsAre("aten::exp", "aten::mean", "aten::sin"));
  EXPECT_EQ(details.first_different_op, "op 1: ran aten::cos, then aten::mean");
  const std::string text = ReplayMismatch(details).what();
  EXPECT_THAT(text, HasSubstr("First run (3 ops):"));
  EXPECT_THAT(text, HasSubstr("Rerun (3 ops):"));
}

TEST(Mismatch, WithDebugAnEqualRerunRunsToTheEndAndIsPlain) {
  std::vector<int> calls_of_tail;  // by run; those of the regions that rerun come first
  CheckpointOptions options;
  options.debug = true;
  const auto runs = expect_same_as_plain(
      [&](const Nest& region) {
        calls_of_tail.push_back(0);
        const at::Tensor x = ramp_leaf({3});
        const at::Tensor y = region(
            [&](const at::Tensor& t) {
              const at::Tensor h = torch::dropout(t, .5, true).exp().sin();
              ++calls_of_tail.back();
              return h + 1;
            },
            x);
        y.sum().backward();
        return Step{.outputs = {y}, .leaves = {x}};
      },
      options);

  EXPECT_EQ(runs[1].counts.reruns, 1);
  EXPECT_EQ(calls_of_tail[0], 1);
  EXPECT_EQ(calls_of_tail[1], 2);
}

TEST(Mismatch, CheckCanBeSwitchedOff) {
  const at::Tensor x = ramp_leaf({3});
  int calls = 0;
  CheckpointOptions options;
  options.determinism_check = DeterminismCheck::kNone;
  options.stops_early = false;
  const at::Tensor y = checkpoint(
      options,
      [&](const at::Tensor& t) { return ++calls == 1 ? t.exp().cos() : t.exp().cos().sin(); }, x);
  y.sum().backward();

  const at::Tensor plain = ramp_leaf({3});
  plain.exp().cos().sum().backward();
  EXPECT_TRUE(support::bitwise_equal(x.grad(), plain.grad()));
}

TEST(Mismatch, OfAValueThatIsMissingIsAnErrorEvenUnchecked) {
  const at::Tensor x = ramp_leaf({3});
  int calls = 0;
  CheckpointOptions options = support::rerunning();
  options.determinism_check = DeterminismCheck::kNone;
  const at::Tensor y = checkpoint(
      options, [&](const at::Tensor& t) { return ++calls == 1 ? t.exp().cos() : t.exp(); }, x);

  EXPECT_THROW(y.sum().backward(), ReplayMismatch);
}

TEST(Mismatch, OfBytesIsFoundByTheHashOfValues) {
  const at::Tensor x = ramp_leaf({3});
  int calls = 0;
  CheckpointOptions options = named("noise");
  options.determinism_check = DeterminismCheck::kValues;
  const at::Tensor y = checkpoint(
      options,
      [&](const at::Tensor& t) {
        const double noise = ++calls;  // same shapes, other numbers
        return (t.exp() * noise).sin();
      },
      x);

  const MismatchDetails details = mismatch_of([&] { y.sum().backward(); });

  EXPECT_EQ(details.region, "noise");
  EXPECT_EQ(details.position, 1);
  EXPECT_THAT(details.saved_op, HasSubstr("aten::sin"));
  EXPECT_THAT(details.saved, HasSubstr("[3] Double"));
  EXPECT_FALSE(x.grad().defined());
}

// --- Changed between forward and backward. ---

class ChangedInBetween : public testing::TestWithParam<int> {};

void expect_error_when_changed(int depth, const at::Tensor& changed, const at::Tensor& x,
                               const std::function<at::Tensor(const at::Tensor&)>& fn) {
  {
    const at::Tensor y = Nest(depth, named("layer"))(fn, x);
    {
      const torch::NoGradGuard no_grad;
      changed.add_(1);
    }
    EXPECT_THAT([&] { y.sum().backward(); }, throws_modified_in_place());
  }
  EXPECT_FALSE(changed.grad().defined());
  EXPECT_EQ(live_hooks(), 0);

  // The next step works.
  Nest(depth, {})(fn, x).sum().backward();
  const at::Tensor grad = changed.grad();
  changed.mutable_grad() = at::Tensor();
  fn(x).sum().backward();
  EXPECT_TRUE(support::bitwise_equal(grad, changed.grad()));
}

TEST_P(ChangedInBetween, AParameterIsAnError) {
  const at::Tensor w = ramp_leaf({3, 3});
  expect_error_when_changed(GetParam(), w, ramp({2, 3}),
                            [w](const at::Tensor& t) { return t.mm(w).tanh().mm(w); });
}

TEST_P(ChangedInBetween, AnInputIsAnError) {
  const at::Tensor x = ramp_leaf({2, 3});
  expect_error_when_changed(GetParam(), x, x, [](const at::Tensor& t) { return t.sin().exp(); });
}

TEST_P(ChangedInBetween, ACapturedTensorIsAnError) {
  const at::Tensor mask = torch::ones({2, 3}, torch::kDouble);
  expect_error_when_changed(GetParam(), mask, ramp_leaf({2, 3}),
                            [mask](const at::Tensor& t) { return (t * mask).sin(); });
}

TEST_P(ChangedInBetween, ACapturedTensorReadThroughAViewIsAnError) {
  const at::Tensor table = torch::ones({4, 2, 3}, torch::kDouble);
  expect_error_when_changed(GetParam(), table, ramp_leaf({2, 3}),
                            [table](const at::Tensor& t) { return (t * table[1]).sin(); });
}

INSTANTIATE_TEST_SUITE_P(Mismatch, ChangedInBetween, testing::Values(1, 2, 3));

TEST(Mismatch, AnOptimizerStepBetweenForwardAndBackwardIsAnError) {
  torch::nn::Linear layer(3, 3);
  // libtorch's SGD writes through .data, which no version counter shows; AdamW does not.
  torch::optim::AdamW optimizer(layer->parameters(), torch::optim::AdamWOptions(.1));
  auto fn = [=](const at::Tensor& t) mutable { return layer(layer(t).tanh()); };
  checkpoint(fn, torch::ones({2, 3})).sum().backward();
  {
    const at::Tensor y = checkpoint(fn, torch::ones({2, 3}));
    optimizer.step();
    const at::Tensor before = layer->weight.grad().clone();

    EXPECT_THAT([&] { y.sum().backward(); }, throws_modified_in_place());
    EXPECT_TRUE(support::bitwise_equal(before, layer->weight.grad()));
  }
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Mismatch, AResultMayBeChangedInPlaceByTheCaller) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3});
    at::Tensor y = region([](const at::Tensor& t) { return t.sin() * 2; }, x);
    y.relu_();
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });
}

TEST(Mismatch, OfARegionWithAConstResultIsSeenBeforeAnyNodeRuns) {
  const at::Tensor x = ramp_leaf({3});
  const at::Tensor bias = ramp_leaf({3});
  int calls = 0;
  const auto fn = [&](const at::Tensor& t) -> const at::Tensor {
    const std::int64_t length = ++calls == 1 ? 3 : 2;
    return t.slice(0, 0, length).sin() + bias.slice(0, 0, length);
  };
  EXPECT_THROW(checkpoint(support::rerunning(), fn, x).sum().backward(), ReplayMismatch);

  EXPECT_FALSE(bias.grad().defined());
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace
}  // namespace reprise
