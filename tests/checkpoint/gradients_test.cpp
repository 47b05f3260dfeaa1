// SPDX-License-Identifier: Apache-2.0
// Every way to ask for gradients: several backwards, of higher order, inside a region, of chosen
// inputs.
#include <memory>

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
using support::values;
using testing::HasSubstr;
using testing::ThrowsMessage;

at::Tensor gradient(const at::Tensor& of, const at::Tensor& by, bool create_graph = false) {
  return torch::autograd::grad({of}, {by}, {}, /*retain_graph=*/true, create_graph)[0];
}

// UC-05 A, P20.
TEST(Gradients, MayBeComputedInsideARegion) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.2, .4});
    const at::Tensor w = leaf({1.5});
    const at::Tensor y = region(
        [w](const at::Tensor& t) {
          const at::Tensor g = gradient((t * w).sin().sum(), t, /*create_graph=*/true);
          return t + g * g;
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, w}};
  });

  EXPECT_TRUE(is_close(runs[1].outputs[0], {2.253502567, 1.932652474}));
  EXPECT_TRUE(is_close(runs[1].gradients[0], {-.9056683477, -2.145631915}));
  EXPECT_TRUE(is_close(runs[1].gradients[1], {3.688615764}));
}

TEST(Gradients, MayBeComputedInsideARegionOfAnInputThatIsNoLeaf) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.2, .4});
    const at::Tensor w = leaf({1.5});
    const at::Tensor y = region(
        [w](const at::Tensor& t) {
          const at::Tensor g = gradient((t * w).sin().sum(), t, /*create_graph=*/true);
          return t + g * g;
        },
        x.exp());
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, w}};
  });
}

TEST(Gradients, MayBeComputedInsideARegionThatRunsToTheEndOfItsFunction) {
  CheckpointOptions options;
  options.stops_early = false;
  expect_same_as_plain(
      [](const Nest& region) {
        const at::Tensor x = leaf({.2, .4});
        const at::Tensor counter = torch::zeros({}, torch::kLong);
        const at::Tensor y = region(
            [counter](const at::Tensor& t) {
              const at::Tensor g = gradient(t.sin().exp().sum(), t);
              counter.add_(1);
              return torch::dropout((t * g).sin(), .5, true);
            },
            x);
        y.sum().backward();
        return Step{.outputs = {y}, .leaves = {x}, .buffers = {counter}};
      },
      options);
}

TEST(Gradients, MayBeComputedThroughAnInnerRegionInsideAnOuterOne) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.2, .4});
    const at::Tensor w = leaf({1.5});
    const at::Tensor y = region(
        [w, region](const at::Tensor& t) {
          const at::Tensor z =
              region([w](const at::Tensor& in) { return (in * w).sin().exp(); }, t * w);
          const at::Tensor g = gradient(z.sum(), t, /*create_graph=*/true);
          return (z * g).tanh();
        },
        x.exp());
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, w}};
  });
}

// UC-05 B, P21.
TEST(Gradients, OfGradientsThroughARegionAreThoseOfPlain) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor w = leaf({2});
    const at::Tensor y = region([w](const at::Tensor& t) { return (t * w).sin().exp(); }, x);
    const at::Tensor g = gradient(y.sum(), x, /*create_graph=*/true);
    (g * g).sum().backward();
    return Step{.outputs = {y, g}, .leaves = {x, w}};
  });

  EXPECT_TRUE(is_close(runs[1].gradients[0], {17.7752, 4.76052, -25.5654}, 1e-5));
  EXPECT_TRUE(is_close(runs[1].gradients[1], {15.6406}, 1e-5));
}

TEST(Gradients, OfThirdOrderAreThoseOfPlain) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor y = region([](const at::Tensor& t) { return (t * t).sin().exp(); }, x);
    const at::Tensor first = gradient(y.sum(), x, /*create_graph=*/true);
    const at::Tensor second = gradient(first.sum(), x, /*create_graph=*/true);
    second.sum().backward();
    return Step{.outputs = {y, first, second}, .leaves = {x}};
  });
}

// P21: against differences, not against plain.
TEST(Gradients, OfGradientsAgreeWithDifferences) {
  const at::Tensor x = leaf({.1, .3, .5});
  const at::Tensor v = leaf({.7, -.2, .4});
  const auto slope = [&](const at::Tensor& at) {
    const at::Tensor y = checkpoint([](const at::Tensor& t) { return (t * t).sin().exp(); }, at);
    return gradient(y.sum(), at, /*create_graph=*/true);
  };

  const at::Tensor second = gradient((slope(x) * v.detach()).sum(), x);

  const double step = 1e-5;
  for (std::int64_t i = 0; i < 3; ++i) {
    const at::Tensor shift = torch::zeros({3}, torch::kDouble);
    shift[i] = step;
    const at::Tensor up = slope((x.detach() + shift).requires_grad_());
    const at::Tensor down = slope((x.detach() - shift).requires_grad_());
    const double difference = ((up - down) * v.detach()).sum().item<double>() / (2 * step);
    EXPECT_NEAR(second[i].item<double>(), difference, 1e-7) << "element " << i;
  }
}

// UC-06, P18.
TEST(Gradients, ASecondBackwardOverARetainedGraphRunsTheFunctionAgain) {
  std::vector<int> calls_by_depth;
  const auto runs = expect_same_as_plain([&](const Nest& region) {
    auto calls = std::make_shared<int>(0);
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor y = region(
        [calls](const at::Tensor& t) {
          ++*calls;
          return (t * t).sin();
        },
        x);
    y.sum().backward({}, /*retain_graph=*/true);
    y.sum().backward();
    calls_by_depth.push_back(*calls);
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_TRUE(is_close(runs[1].gradients[0], {.39998, 1.19514, 1.93782}, 1e-5));
  EXPECT_EQ(runs[1].counts.reruns, 2);
  EXPECT_EQ(calls_by_depth[0], 1);
  EXPECT_EQ(calls_by_depth[1], 3);
}

TEST(Gradients, AThirdBackwardWithoutRetainIsTheUsualError) {
  const at::Tensor x = leaf({.1, .3, .5});
  {
    const at::Tensor y = checkpoint([](const at::Tensor& t) { return (t * t).sin(); }, x);
    y.sum().backward({}, /*retain_graph=*/true);
    y.sum().backward();
    const at::Tensor before = x.grad().clone();

    EXPECT_THAT(
        [&] { y.sum().backward(); },
        ThrowsMessage<c10::Error>(HasSubstr("Trying to backward through the graph a second time")));
    EXPECT_TRUE(support::bitwise_equal(x.grad(), before));
  }
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Gradients, AResultUsedByTwoLaterRegionsIsRecomputedOnce) {
  std::vector<int> calls_by_depth;
  expect_same_as_plain([&](const Nest& region) {
    auto calls = std::make_shared<int>(0);
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor y = region(
        [calls](const at::Tensor& t) {
          ++*calls;
          return t.sin().exp();
        },
        x);
    const at::Tensor left = region([](const at::Tensor& t) { return t.cos().exp(); }, y);
    const at::Tensor right = region([](const at::Tensor& t) { return t.tanh().sin(); }, y);
    (left + right).sum().backward();
    calls_by_depth.push_back(*calls);
    return Step{.outputs = {left, right}, .leaves = {x}};
  });

  EXPECT_EQ(calls_by_depth[1], 2);
}

TEST(Gradients, OfChosenInputsOnlyAreThoseOfPlain) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor w = leaf({2});
    const at::Tensor v = leaf({3});
    const at::Tensor y = region([=](const at::Tensor& t) { return ((t * w).sin() * v).exp(); }, x);
    const at::Tensor by_w = torch::autograd::grad({y.sum()}, {w})[0];
    EXPECT_FALSE(x.grad().defined());
    EXPECT_FALSE(v.grad().defined());
    return Step{.outputs = {y, by_w}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Gradients, ByAnIntermediateResultAreThoseOfPlain) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor h = region([](const at::Tensor& t) { return t.sin().exp(); }, x);
    const at::Tensor y = region([](const at::Tensor& t) { return t.cos().exp(); }, h);
    const at::Tensor by_h = gradient(y.sum(), h);
    const at::Tensor by_y = gradient(y.sum(), y);
    const at::Tensor by_x = gradient(y.sum(), x);
    return Step{.outputs = {y, by_h, by_y, by_x}};
  });
}

TEST(Gradients, ByAnIntermediateAboveARegionDoNotRerunIt) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor h = region([](const at::Tensor& t) { return t.sin().exp(); }, x);
    return Step{.outputs = {gradient(h.cos().sum(), h)}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 0);
}

TEST(Gradients, BackwardWithAListOfInputsLeavesTheOthersAlone) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor w = leaf({2});
    const at::Tensor y = region([=](const at::Tensor& t) { return (t * w).sin().exp(); }, x);
    y.sum().backward({}, /*retain_graph=*/true, /*create_graph=*/false, {{w}});
    y.sum().backward({}, /*retain_graph=*/false, /*create_graph=*/false, {{x}});
    return Step{.outputs = {y}, .leaves = {x, w}};
  });
}

TEST(Gradients, OfAUsersOwnGradientTensorArePassedOn) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor y = region([](const at::Tensor& t) { return t.sin().exp(); }, x);
    y.backward(values({1, -2, 3}));
    return Step{.outputs = {y}, .leaves = {x}};
  });
}

TEST(Gradients, AccumulateOverSeveralRegionsAndSteps) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor w = ramp_leaf({3, 3});
    for (int step = 0; step < 3; ++step) {
      const at::Tensor x = ramp({2, 3}) * (step + 1);
      region([w](const at::Tensor& t) { return t.mm(w).tanh(); }, x).sum().backward();
    }
    return Step{.leaves = {w}};
  });
}

TEST(Gradients, BackwardInsideARegionAccumulatesOnce) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor w = leaf({2});
    const at::Tensor y = region(
        [w](const at::Tensor& t) {
          (t.detach() * w).sin().sum().backward();
          return (t * w).exp();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, w}};
  });
}

TEST(Gradients, BackwardInsideARegionAddsOnceToAGradientThatIsThere) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor w = leaf({2});
    w.mutable_grad() = values({10});
    const at::Tensor y = region(
        [w](const at::Tensor& t) {
          (t.detach() * w).sin().sum().backward();
          return (t * w).exp();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, w}};
  });
}

TEST(Gradients, AGradientPenaltyThroughANetOfRegionsTrains) {
  expect_same_as_plain([](const Nest& region) {
    torch::nn::Linear first(3, 4);
    torch::nn::Linear second(4, 1);
    first->to(torch::kDouble);
    second->to(torch::kDouble);
    const at::Tensor x = ramp_leaf({2, 3});
    const at::Tensor h = region([=](const at::Tensor& t) mutable { return first(t).tanh(); }, x);
    const at::Tensor score = region([=](const at::Tensor& t) mutable { return second(t); }, h);
    const at::Tensor slope = gradient(score.sum(), x, /*create_graph=*/true);
    (score.mean() + (slope.norm(2, 1) - 1).square().mean()).backward();
    return Step{.outputs = {score, slope},
                .leaves = {x, first->weight, first->bias, second->weight, second->bias}};
  });
}

TEST(Gradients, HooksOnTensorsInsideARegionFireOnce) {
  std::vector<int> fired_by_run;
  expect_same_as_plain([&](const Nest& region) {
    auto fired = std::make_shared<int>(0);
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor y = region(
        [fired](const at::Tensor& t) {
          const at::Tensor h = t.sin();
          h.register_hook([fired](const at::Tensor& grad) {
            ++*fired;
            return 2 * grad;
          });
          return h.exp();
        },
        x);
    y.sum().backward();
    fired_by_run.push_back(*fired);
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_THAT(fired_by_run, testing::Each(1));
}

// P12: what a reducer of data-parallel training counts.
TEST(Gradients, EachParameterIsAccumulatedOnce) {
  std::vector<int> fired_by_run;
  expect_same_as_plain([&](const Nest& region) {
    auto fired = std::make_shared<int>(0);
    const at::Tensor w = ramp_leaf({3, 3});
    w.register_hook([fired](const at::Tensor& grad) {
      ++*fired;
      return grad;
    });
    region([w](const at::Tensor& t) { return t.mm(w).tanh(); }, ramp({2, 3})).sum().backward();
    fired_by_run.push_back(*fired);
    return Step{.leaves = {w}};
  });

  EXPECT_THAT(fired_by_run, testing::Each(1));
}

// P47.
TEST(Gradients, LeavesOfTheRerunKeepNoGradient) {
  at::Tensor leaf_of_rerun;
  {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor y = checkpoint(
        support::rerunning(),
        [&](const at::Tensor& t) {
          if (is_recomputing()) {
            leaf_of_rerun = t;
          }
          return t.sin().exp();
        },
        x);
    y.sum().backward();
    EXPECT_TRUE(leaf_of_rerun.is_leaf());
    EXPECT_TRUE(leaf_of_rerun.requires_grad());
    EXPECT_FALSE(leaf_of_rerun.grad().defined());
    EXPECT_TRUE(leaf_of_rerun.is_alias_of(x));
  }
  EXPECT_EQ(leaf_of_rerun.use_count(), 1);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Gradients, ARegionInsideABackwardHookIsARegionOfItsOwn) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor w = leaf({2});
    const at::Tensor y = region([](const at::Tensor& t) { return t.sin().exp(); }, x);
    y.register_hook([&](const at::Tensor& grad) {
      const at::AutoGradMode grad_on(true);
      region([w](const at::Tensor& t) { return (t * w).sin().exp(); }, grad.detach())
          .sum()
          .backward();
      return grad;
    });
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, w}};
  });
}

TEST(Gradients, AnomalyModeMayBeOn) {
  expect_same_as_plain([](const Nest& region) {
    const torch::autograd::DetectAnomalyGuard anomaly;
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor y = region([](const at::Tensor& t) { return t.sin().exp(); }, x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });
}

TEST(Gradients, AResultChangedInPlaceAfterwardsPassesGradientsOn) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor y = region([](const at::Tensor& t) { return t.exp().sin(); }, x);
    y.mul_(3);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });
}

TEST(Gradients, AnIntermediateThatLeaksOutThroughACaptureTakesPartInTheLoss) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    auto leaked = std::make_shared<at::Tensor>();
    const at::Tensor x = leaf({.1, .3, .5});
    const at::Tensor y = region(
        [leaked](const at::Tensor& t) {
          const at::Tensor h = t.sin();
          if (!is_recomputing()) {
            *leaked = h;
          }
          return h.exp();
        },
        x);
    const at::Tensor loss = y.sum() + leaked->square().sum();
    leaked->reset();
    loss.backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Gradients, OfALeakedIntermediateAloneNeedNoResult) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    auto leaked = std::make_shared<at::Tensor>();
    const at::Tensor x = leaf({.1, .3, .5});
    region(
        [leaked](const at::Tensor& t) {
          const at::Tensor h = t.sin().exp();
          if (!is_recomputing()) {
            *leaked = h;
          }
          return h.cos();
        },
        x);
    const at::Tensor h = std::exchange(*leaked, at::Tensor());
    h.sum().backward();
    return Step{.outputs = {h}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

}  // namespace
}  // namespace reprise
