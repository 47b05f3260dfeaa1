// SPDX-License-Identifier: Apache-2.0
// Tensors that a region writes but did not make change once, as in plain training.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_modified_in_place;
using support::expect_region_same_as_plain;
using support::expect_same_as_plain;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::Step;
using support::Tensors;
using support::values;
using testing::HasSubstr;
using testing::ThrowsMessage;
using torch::indexing::Slice;

// P6: a counter held in a tensor.
TEST(OutsideTensors, ACapturedCounterCountsOnce) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor counter = torch::zeros({}, torch::kLong);
    const at::Tensor x = ramp_leaf({4});
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          counter.add_(1);
          return (t * counter).sin();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}, .buffers = {counter}};
  });

  EXPECT_EQ(runs[1].buffers[0].item<std::int64_t>(), 1);
  EXPECT_EQ(runs[1].counts.kept_bytes, 8);
}

TEST(OutsideTensors, ACounterPassedAsArgumentCountsOnce) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor counter = torch::zeros({}, torch::kLong);
    const at::Tensor x = ramp_leaf({4});
    const Tensors y = region(
        [](const Tensors& in) {
          in[1].add_(1);
          return Tensors{(in[0] * in[1]).sin()};
        },
        Tensors{x, counter});
    y[0].sum().backward();
    return Step{.outputs = y, .leaves = {x}, .buffers = {counter}};
  });

  EXPECT_EQ(runs[1].buffers[0].item<std::int64_t>(), 1);
}

TEST(OutsideTensors, ACounterOfAModelStepsThroughRetainedBackwardsUnchanged) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor counter = torch::zeros({}, torch::kLong);
    const at::Tensor x = ramp_leaf({4});
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          counter.add_(1);
          return (t * counter.clone()).sin();
        },
        x);
    y.sum().backward({}, /*retain_graph=*/true);
    counter.add_(10);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}, .buffers = {counter}};
  });

  EXPECT_EQ(runs[1].buffers[0].item<std::int64_t>(), 11);
  EXPECT_EQ(runs[1].counts.reruns, 2);
}

// A key cache of a fixed size, written in place under no-grad and read with history.
struct Cache {
  at::Tensor keys = torch::zeros({4, 2}, torch::kDouble);
  at::Tensor position = torch::zeros({}, torch::kLong);
};

at::Tensor attend(const at::Tensor& t, const at::Tensor& keys) {
  return t.mm(keys.t()).softmax(-1).mm(keys);
}

TEST(OutsideTensors, AKeyCacheWrittenThroughASliceIsReadAsInTheFirstRun) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const Cache cache;
    const at::Tensor w = ramp_leaf({2, 2});
    const at::Tensor x = ramp_leaf({1, 2});
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          cache.keys.index({Slice(1, 2)}).copy_(t.mm(w).detach());
          return attend(t.mm(w), cache.keys);
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, w}, .buffers = {cache.keys}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(OutsideTensors, AKeyCacheWrittenByIndexCopyAndPassedAsArgumentIsReadAsInTheFirstRun) {
  expect_same_as_plain([](const Nest& region) {
    const Cache cache;
    const at::Tensor w = ramp_leaf({2, 2});
    const at::Tensor x = ramp_leaf({1, 2});
    const Tensors y = region(
        [w](const Tensors& in) {
          const at::Tensor key = in[0].mm(w);
          in[1].index_copy_(0, in[2].view({1}), key.detach());
          in[2].add_(1);
          return Tensors{attend(key, in[1])};
        },
        Tensors{x, cache.keys, cache.position});
    y[0].sum().backward();
    return Step{.outputs = y, .leaves = {x, w}, .buffers = {cache.keys, cache.position}};
  });
}

TEST(OutsideTensors, AKeyCacheGrowsOverTwoForwardsBeforeTwoBackwards) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const Cache cache;
    const at::Tensor w = ramp_leaf({2, 2});
    const auto fn = [=](const at::Tensor& t) {
      const at::Tensor key = t.mm(w);
      cache.keys.index_copy_(0, cache.position.view({1}), key.detach());
      cache.position.add_(1);
      // A copy: plain autograd would not let a later write change what it saved.
      return attend(key, cache.keys.clone());
    };
    const at::Tensor first = region(fn, ramp_leaf({1, 2}));
    const at::Tensor second = region(fn, (2 * ramp({1, 2})).requires_grad_());
    first.sum().backward();
    second.sum().backward();
    return Step{.outputs = {first, second}, .leaves = {w}, .buffers = {cache.keys, cache.position}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 2);
}

TEST(OutsideTensors, ACacheThatWasSavedAndWrittenLaterIsAnErrorAsInPlain) {
  expect_modified_in_place([](const Nest& region) {
    const at::Tensor cache = torch::ones({2}, torch::kDouble);
    const at::Tensor x = ramp_leaf({2});
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          cache.mul_(2);
          return t * cache;  // saves the cache
        },
        x);
    cache.mul_(5);
    y.sum().backward();
  });
}

TEST(OutsideTensors, AnInputWrittenInPlaceIsRebuiltForTheRerun) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({4});
    const at::Tensor t = x * 1;
    const at::Tensor y = region(
        [](const at::Tensor& in) {
          in.mul_(3);
          return in.sin();
        },
        t);
    y.sum().backward();
    return Step{.outputs = {y, t}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(OutsideTensors, AnInputWrittenInPlaceByTwoRegionsIsRebuiltForBoth) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({4});
    const at::Tensor w = ramp_leaf({4});
    const at::Tensor t = x * 1;
    const auto fn = [w](const at::Tensor& in) {
      in.mul_(w);
      return in.clone().sin();
    };
    const at::Tensor first = region(fn, t);
    const at::Tensor second = region(fn, t);
    (first.sum() + second.sum()).backward();
    return Step{.outputs = {first, second, t}, .leaves = {x, w}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 2);
}

TEST(OutsideTensors, AnInputThatTheRegionWroteAndSomebodyChangesLaterIsAnErrorAsInPlain) {
  expect_modified_in_place([](const Nest& region) {
    const at::Tensor x = ramp_leaf({4});
    const at::Tensor t = x * 1;
    const at::Tensor y = region(
        [](const at::Tensor& in) {
          in.mul_(3);
          return in.sin();  // saves the input
        },
        t);
    {
      const torch::NoGradGuard no_grad;
      t.add_(1);
    }
    y.sum().backward();
  });
}

TEST(OutsideTensors, AViewGivenAsInputAndWrittenInPlaceIsRebuilt) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3, 4});
    const at::Tensor base = x * 1;
    const at::Tensor y = region(
        [](const at::Tensor& row) {
          row.mul_(3);
          return row.sin();
        },
        base[1]);
    (y.sum() + base.square().sum()).backward();
    return Step{.outputs = {y, base}, .leaves = {x}};
  });
}

TEST(OutsideTensors, TwoInputsOfOneStorageStayAliasesInTheRerun) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3, 4});
    const at::Tensor base = torch::ones({3, 4}, torch::kDouble);
    const Tensors y = region(
        [](const Tensors& in) {
          in[1].mul_(3);  // also changes what in[2] looks at
          return Tensors{(in[0] * in[2]).sin()};
        },
        Tensors{x, base[1], base});
    y[0].sum().backward();
    return Step{.outputs = y, .leaves = {x}, .buffers = {base}};
  });
}

TEST(OutsideTensors, ACapturedIntermediateWrittenInPlaceIsRebuilt) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({4});
    const at::Tensor captured = x.exp() * 1;
    const at::Tensor y = region(
        [captured](const at::Tensor& t) {
          captured.mul_(2);
          return (t * captured.clone()).sin();
        },
        x);
    (y.sum() + captured.sum()).backward();
    return Step{.outputs = {y, captured}, .leaves = {x}};
  });
}

TEST(OutsideTensors, WritesThroughForeachAndOutFormsAreSeen) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const Tensors averages = {torch::ones({2}, torch::kDouble), torch::ones({3}, torch::kDouble)};
    at::Tensor total = torch::zeros({2}, torch::kDouble);
    const at::Tensor x = ramp_leaf({2});
    const at::Tensor y = region(
        [=](const at::Tensor& t) mutable {
          at::_foreach_mul_(averages, .5);
          at::add_out(total, total.clone(), t.detach());
          return (t * averages[0].clone() + total.clone()).sin();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}, .buffers = {averages[0], averages[1], total}};
  });

  EXPECT_EQ(runs[1].counts.kept_bytes, 8 * (2 + 3 + 2));
}

TEST(OutsideTensors, VersionCountersAreThoseOfPlainAfterwards) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor counter = torch::zeros({}, torch::kLong);
    const at::Tensor x = ramp_leaf({4});
    const at::Tensor t = x * 1;
    region(
        [=](const at::Tensor& in) {
          counter.add_(1);
          in.mul_(2);
          return (in.clone() * counter).sin();
        },
        t)
        .sum()
        .backward();
    const auto versions = {static_cast<double>(counter._version()),
                           static_cast<double>(t._version()), static_cast<double>(x._version())};
    return Step{.outputs = {values(versions)}, .leaves = {x}};
  });
}

TEST(OutsideTensors, MemoryThatNoOpMadeIsReadAndWrittenInside) {
  expect_region_same_as_plain(
      [](const at::Tensor& t) {
        auto numbers = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3});
        const at::Tensor wrapped = torch::from_blob(
            numbers->data(), {3}, [numbers](void*) {}, torch::kDouble);
        wrapped.mul_(2);
        return (t * wrapped).sin();
      },
      ramp({3}));
}

TEST(OutsideTensors, ACapturedTensorThatTheRegionResizesIsAMismatch) {
  const at::Tensor rows = torch::ones({2}, torch::kDouble);
  const at::Tensor other = torch::ones({2}, torch::kDouble);
  const at::Tensor x = ramp_leaf({2});
  {
    const at::Tensor y = checkpoint(
        support::rerunning(),
        [&](const at::Tensor& t) {
          other.mul_(2);
          const at::Tensor before = rows * 1;
          rows.resize_({2 * rows.size(0)}).fill_(3);
          return (t.sum() * before).sin();
        },
        x);
    EXPECT_THROW(y.sum().backward(), ReplayMismatch);
  }
  EXPECT_TRUE(support::bitwise_equal(other, 2 * torch::ones({2}, torch::kDouble)));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(live_hooks(), 0);
}

TEST(OutsideTensors, AWriteToACapturedSparseTensorIsRefused) {
  const at::Tensor sparse = torch::eye(3, torch::kDouble).to_sparse();
  const at::Tensor x = ramp_leaf({3, 3});

  EXPECT_THAT(
      [&] {
        checkpoint(
            support::rerunning(),
            [&](const at::Tensor& t) {
              sparse.mul_(2);
              return at::_sparse_mm(sparse, t).sin();
            },
            x);
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("may write only outside tensors with a dense")));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(OutsideTensors, AnExponentialMovingAverageOfARegionsOutputChangesOnce) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor average = torch::ones({4}, torch::kDouble);
    const at::Tensor x = ramp_leaf({4});
    Tensors outputs;
    for (int step = 0; step < 3; ++step) {
      const at::Tensor y = region(
          [=](const at::Tensor& t) {
            const at::Tensor h = (t - average).sin();
            average.lerp_(h.detach(), .1);
            return h.exp();
          },
          x);
      y.sum().backward();
      outputs.push_back(y);
    }
    return Step{.outputs = outputs, .leaves = {x}, .buffers = {average}};
  });
}

}  // namespace
}  // namespace reprise
