// SPDX-License-Identifier: Apache-2.0
// Autocast, default dtype, grad mode and contexts of the user's: the rerun has those of the first
// run, the caller has its own again afterwards (UC-04, P4, P44).
#include <memory>
#include <stdexcept>
#include <vector>

#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_same_as_plain;
using support::leaf;
using support::Nest;
using support::Step;
using support::Tensors;
using testing::ElementsAre;

class Autocast {
 public:
  explicit Autocast(bool is_enabled, at::ScalarType dtype = at::kBFloat16)
      : was_enabled_(at::autocast::is_autocast_enabled(at::kCPU)),
        dtype_(at::autocast::get_autocast_dtype(at::kCPU)) {
    at::autocast::set_autocast_enabled(at::kCPU, is_enabled);
    at::autocast::set_autocast_dtype(at::kCPU, dtype);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) {
      at::autocast::clear_cache();
    }
    at::autocast::set_autocast_enabled(at::kCPU, was_enabled_);
    at::autocast::set_autocast_dtype(at::kCPU, dtype_);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool was_enabled_;
  at::ScalarType dtype_;
};

struct Layers {
  torch::nn::Linear first{8, 8};
  torch::nn::Linear second{8, 8};
  Tensors parameters() const { return {first->weight, first->bias, second->weight, second->bias}; }
};

at::Tensor float_input() {
  return torch::linspace(-1, 1, 32, torch::kFloat).view({4, 8}).requires_grad_();
}

using Dtypes = std::vector<at::ScalarType>;

TEST(AmbientState, AutocastAroundTheForwardOnlyHoldsInTheRerun) {
  std::vector<Dtypes> by_depth;
  const auto runs = expect_same_as_plain([&](const Nest& region) {
    auto dtypes = std::make_shared<Dtypes>();
    Layers layers;
    const at::Tensor x = float_input();
    at::Tensor y;
    {
      const Autocast autocast(true);
      y = region(
          [=](const at::Tensor& t) mutable {
            const at::Tensor h = layers.first(t);
            const at::Tensor r = h.relu();
            const at::Tensor out = layers.second(r);
            dtypes->insert(dtypes->end(), {h.scalar_type(), r.scalar_type()});
            return out.to(torch::kFloat).tanh();
          },
          x);
    }
    y.sum().backward();
    by_depth.push_back(*dtypes);
    Tensors leaves = layers.parameters();
    leaves.push_back(x);
    return Step{.outputs = {y}, .leaves = leaves};
  });

  EXPECT_THAT(by_depth[1], ElementsAre(at::kBFloat16, at::kBFloat16, at::kBFloat16, at::kBFloat16));
  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(AmbientState, AutocastSwitchedOffInsideAnEnabledScopeStaysOffInTheRerun) {
  std::vector<Dtypes> by_depth;
  expect_same_as_plain([&](const Nest& region) {
    auto dtypes = std::make_shared<Dtypes>();
    Layers layers;
    const at::Tensor x = float_input();
    const Autocast autocast(true);
    at::Tensor y;
    {
      const Autocast off(false);
      y = region(
          [=](const at::Tensor& t) mutable {
            const at::Tensor h = layers.first(t);
            dtypes->push_back(h.scalar_type());
            return layers.second(h.relu()).tanh();
          },
          x);
    }
    y.sum().backward();
    by_depth.push_back(*dtypes);
    Tensors leaves = layers.parameters();
    leaves.push_back(x);
    return Step{.outputs = {y}, .leaves = leaves};
  });

  EXPECT_THAT(by_depth[1], ElementsAre(at::kFloat, at::kFloat));
}

TEST(AmbientState, AutocastOpenedInsideTheRegionIsOpenedAgain) {
  expect_same_as_plain([](const Nest& region) {
    Layers layers;
    const at::Tensor x = float_input();
    const at::Tensor y = region(
        [=](const at::Tensor& t) mutable {
          at::Tensor h;
          {
            const Autocast autocast(true);
            h = layers.first(t);
          }
          return layers.second(h.to(torch::kFloat)).tanh();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = layers.parameters()};
  });
}

TEST(AmbientState, BackwardInsideTheAutocastScopeIsThatOfPlain) {
  expect_same_as_plain([](const Nest& region) {
    Layers layers;
    Tensors outputs;
    const Autocast autocast(true);
    for (int step = 0; step < 2; ++step) {
      at::Tensor h = float_input();
      for (int block = 0; block < 2; ++block) {
        h = region(
            [=](const at::Tensor& t) mutable { return layers.second(layers.first(t).relu()); }, h);
      }
      h.to(torch::kFloat).sum().backward();
      outputs.push_back(h);
    }
    return Step{.outputs = outputs, .leaves = layers.parameters()};
  });
}

TEST(AmbientState, RegionsThatShareCastsOfAWeightGetTheGradientsOfPlain) {
  expect_same_as_plain([](const Nest& region) {
    Layers layers;
    at::Tensor h = float_input();
    {
      const Autocast autocast(true);
      const at::Tensor before = layers.first(h);  // fills the cache
      for (int block = 0; block < 3; ++block) {
        h = region([=](const at::Tensor& t) mutable { return layers.first(t).tanh(); }, h);
      }
      h = h + before;
    }
    h.to(torch::kFloat).sum().backward();
    return Step{.outputs = {h}, .leaves = layers.parameters()};
  });
}

TEST(AmbientState, TheCastCacheSettingIsThatOfTheFirstRun) {
  std::vector<std::vector<bool>> by_depth;
  expect_same_as_plain([&](const Nest& region) {
    auto settings = std::make_shared<std::vector<bool>>();
    const at::Tensor x = float_input();
    at::Tensor y;
    {
      const Autocast autocast(true);
      at::autocast::set_autocast_cache_enabled(false);
      y = region(
          [=](const at::Tensor& t) {
            settings->push_back(at::autocast::is_autocast_cache_enabled());
            return t.sin().exp();
          },
          x);
      at::autocast::set_autocast_cache_enabled(true);
    }
    y.sum().backward();
    by_depth.push_back(*settings);
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_THAT(by_depth[1], ElementsAre(false, false));
}

TEST(AmbientState, TheDefaultDtypeIsThatOfTheFirstRun) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .3, .5});
    torch::set_default_dtype(caffe2::TypeMeta::Make<double>());
    const at::Tensor y =
        region([](const at::Tensor& t) { return (t * torch::full({3}, 1.1)).sin().exp(); }, x);
    torch::set_default_dtype(caffe2::TypeMeta::Make<float>());
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].outputs[0].scalar_type(), torch::kDouble);
}

TEST(AmbientState, GradModeIsOnInTheRerunThoughBackwardHasItOff) {
  std::vector<bool> modes;
  const at::Tensor x = leaf({.1, .3, .5});
  const at::Tensor y = checkpoint(
      support::rerunning(),
      [&](const at::Tensor& t) {
        modes.push_back(torch::GradMode::is_enabled());
        return t.sin().exp();
      },
      x);
  {
    const torch::NoGradGuard no_grad;
    y.backward(support::values({1, 1, 1}));
    EXPECT_FALSE(torch::GradMode::is_enabled());
  }

  EXPECT_THAT(modes, ElementsAre(true, true));
}

// A mode of the user's own.
thread_local int mode = 0;

ContextFactory mode_context(int value) {
  return [value]() -> std::shared_ptr<void> {
    const int outer = std::exchange(mode, value);
    return {nullptr, [outer](void*) { mode = outer; }};
  };
}

TEST(AmbientState, ContextsAreEnteredAroundTheFirstRunAndTheRerun) {
  std::vector<std::vector<int>> by_depth;
  CheckpointOptions options;
  options.forward_context = mode_context(3);
  options.recompute_context = mode_context(3);
  expect_same_as_plain(
      [&](const Nest& region) {
        auto seen = std::make_shared<std::vector<int>>();
        mode = region.depth() == 0 ? 3 : 0;
        const at::Tensor x = leaf({.1, .3, .5});
        const at::Tensor y = region(
            [seen](const at::Tensor& t) {
              seen->push_back(mode);
              return (t * mode).sin();
            },
            x);
        const int between = mode;
        mode = 8;
        y.sum().backward();
        EXPECT_EQ(mode, 8);
        mode = 0;
        EXPECT_EQ(between, region.depth() == 0 ? 3 : 0);
        by_depth.push_back(*seen);
        return Step{.outputs = {y}, .leaves = {x}};
      },
      options);

  EXPECT_THAT(by_depth[1], ElementsAre(3, 3));
}

TEST(AmbientState, TheForwardContextIsEnteredWithoutGradToo) {
  CheckpointOptions options;
  options.forward_context = mode_context(3);
  const torch::NoGradGuard no_grad;
  EXPECT_EQ(checkpoint(options, [] { return mode; }), 3);
  EXPECT_EQ(mode, 0);
}

TEST(AmbientState, TheTwoContextsAreTheirOwn) {
  std::vector<int> seen;
  CheckpointOptions options = support::rerunning();
  options.forward_context = mode_context(1);
  options.recompute_context = mode_context(2);
  const at::Tensor x = leaf({.1, .3, .5});
  const at::Tensor y = checkpoint(
      options,
      [&](const at::Tensor& t) {
        seen.push_back(mode);
        return t.sin();
      },
      x);
  y.sum().backward();

  EXPECT_THAT(seen, ElementsAre(1, 2));
  EXPECT_EQ(mode, 0);
}

// Everything that a thread has and a region may change.
struct ThreadState {
  bool has_grad = torch::GradMode::is_enabled();
  bool has_autocast = at::autocast::is_autocast_enabled(at::kCPU);
  at::ScalarType autocast_dtype = at::autocast::get_autocast_dtype(at::kCPU);
  bool caches_casts = at::autocast::is_autocast_cache_enabled();
  at::ScalarType default_dtype = c10::get_default_dtype_as_scalartype();
  int users_mode = mode;
  bool operator==(const ThreadState&) const = default;
};

class Thrown : public std::runtime_error {
 public:
  Thrown() : std::runtime_error("thrown by the test") {}
};

TEST(AmbientState, AnExceptionInTheFirstRunLeavesTheCallersState) {
  CheckpointOptions options;
  options.forward_context = mode_context(1);
  options.recompute_context = mode_context(2);
  const Autocast autocast(true, at::kHalf);
  const ThreadState before;
  const at::Tensor generator = support::default_generator_state();

  EXPECT_THROW(checkpoint(
                   options,
                   [](const at::Tensor& t) -> at::Tensor {
                     static_cast<void>(t.sin().exp());
                     throw Thrown();
                   },
                   leaf({1, 2})),
               Thrown);

  EXPECT_EQ(before, ThreadState());
  EXPECT_TRUE(support::bitwise_equal(generator, support::default_generator_state()));
  EXPECT_FALSE(is_recomputing());
  EXPECT_EQ(live_hooks(), 0);
}

TEST(AmbientState, AnExceptionInTheRerunLeavesTheCallersStateAndTheNextTryWorks) {
  CheckpointOptions options = support::rerunning();
  options.forward_context = mode_context(1);
  options.recompute_context = mode_context(1);
  const at::Tensor x = leaf({1, 2});
  const at::Tensor counter = torch::zeros({}, torch::kLong);
  bool throws = false;
  torch::manual_seed(5);
  {
    at::Tensor y;
    {
      const Autocast autocast(true);
      y = checkpoint(
          options,
          [&](const at::Tensor& t) {
            counter.add_(1);
            const at::Tensor h = torch::dropout(t, .5, true).sin();
            if (throws) {
              throw Thrown();
            }
            return h.exp();
          },
          x);
    }
    const ThreadState before;
    const at::Tensor generator = support::default_generator_state();

    throws = true;
    EXPECT_THROW(y.sum().backward({}, /*retain_graph=*/true), Thrown);
    EXPECT_EQ(before, ThreadState());
    EXPECT_TRUE(support::bitwise_equal(generator, support::default_generator_state()));
    EXPECT_EQ(counter.item<std::int64_t>(), 1);
    EXPECT_FALSE(is_recomputing());
    EXPECT_FALSE(x.grad().defined());

    throws = false;
    y.sum().backward();
  }
  const at::Tensor plain = leaf({1, 2});
  torch::manual_seed(5);
  torch::dropout(plain, .5, true).sin().exp().sum().backward();
  EXPECT_TRUE(support::bitwise_equal(x.grad(), plain.grad()));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(AmbientState, AForwardContextThatThrowsLeavesNothing) {
  CheckpointOptions options;
  options.forward_context = []() -> std::shared_ptr<void> { throw Thrown(); };

  EXPECT_THROW(checkpoint(
                   options, [](const at::Tensor& t) { return t.sin(); }, leaf({1, 2})),
               Thrown);

  EXPECT_EQ(live_hooks(), 0);
}

TEST(AmbientState, ARecomputeContextThatThrowsIsTheErrorOfBackward) {
  CheckpointOptions options = support::rerunning();
  options.recompute_context = []() -> std::shared_ptr<void> { throw Thrown(); };
  const at::Tensor x = leaf({1, 2});
  {
    const at::Tensor y = checkpoint(
        options, [](const at::Tensor& t) { return t.sin(); }, x);
    EXPECT_THROW(y.sum().backward(), Thrown);
    EXPECT_FALSE(is_recomputing());
  }
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(live_hooks(), 0);
}

// P6: a side effect of the user's own that must happen once.
TEST(AmbientState, ASideEffectThatAsksIsRecomputingHappensOnce) {
  std::vector<int> effects_by_run;
  expect_same_as_plain([&](const Nest& region) {
    auto effects = std::make_shared<int>(0);
    const at::Tensor x = leaf({.1, .3});
    const at::Tensor y = region(
        [effects](const at::Tensor& t) {
          *effects += is_recomputing() ? 0 : 1;
          return t.sin().exp();
        },
        x);
    y.sum().backward();
    effects_by_run.push_back(*effects);
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_THAT(effects_by_run, testing::Each(1));
}

TEST(AmbientState, IsRecomputingTellsTheRunsApart) {
  std::vector<std::vector<bool>> by_depth;
  expect_same_as_plain([&](const Nest& region) {
    auto seen = std::make_shared<std::vector<bool>>();
    const at::Tensor x = leaf({.1, .3});
    const at::Tensor y = region(
        [seen](const at::Tensor& t) {
          seen->push_back(is_recomputing());
          return t.sin();
        },
        x);
    y.sum().backward();
    by_depth.push_back(*seen);
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_THAT(by_depth[0], ElementsAre(false));
  EXPECT_THAT(by_depth[1], ElementsAre(false, true));
  EXPECT_THAT(by_depth[2].front(), false);
  EXPECT_THAT(std::vector<bool>(by_depth[2].begin() + 1, by_depth[2].end()), testing::Each(true));
}

}  // namespace
}  // namespace reprise
