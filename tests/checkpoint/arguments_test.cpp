// SPDX-License-Identifier: Apache-2.0
// Arguments and results of any kind (UC-09, P23).
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::leaf;
using support::ramp_leaf;
using support::Tensors;
using support::values;

std::shared_ptr<RegionStats> stats() { return std::make_shared<RegionStats>(); }

// Runs `step(true)` as a region and `step(false)` plainly; each returns what is compared.
template <class Step>
void expect_same(const Step& step) {
  const Tensors region = step(true);
  EXPECT_EQ(live_hooks(), 0);
  const Tensors plain = step(false);
  EXPECT_TRUE(bitwise_equal(region, plain)) << "got " << region << "\nplain " << plain;
}

// `checkpoint` or the plain call, for any signature.
template <class F, class... Args>
decltype(auto) call(bool as_region, F&& fn, Args&&... args) {
  return as_region ? checkpoint(fn, std::forward<Args>(args)...) : fn(std::forward<Args>(args)...);
}

std::tuple<at::Tensor, at::Tensor, std::int64_t> mixed(const at::Tensor& x, const at::Tensor& mask,
                                                       const std::optional<at::Tensor>& bias,
                                                       std::int64_t n, const std::string& tag) {
  at::Tensor y = (x * static_cast<double>(n)).sin();
  if (mask.defined()) {
    y = y * mask;
  }
  if (bias) {
    y = y + *bias;
  }
  return {y.exp(), at::Tensor(), n + static_cast<std::int64_t>(tag.size())};
}

TEST(Arguments, UndefinedNulloptNumbersAndStringsArePassedOn) {
  expect_same([](bool as_region) {
    const at::Tensor x = ramp_leaf({3});
    const auto [y, aux, n] = call(as_region, mixed, x, at::Tensor(), std::optional<at::Tensor>(),
                                  std::int64_t{3}, "tag");
    EXPECT_FALSE(aux.defined());
    EXPECT_EQ(n, 6);
    y.sum().backward();
    return Tensors{y.detach(), x.grad()};
  });
}

TEST(Arguments, AMaskAndABiasThatAreThereGetTheirGradients) {
  expect_same([](bool as_region) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor mask = values({1, 0, 1});
    const at::Tensor bias = ramp_leaf({3});
    const auto result = call(as_region, mixed, x, mask, std::optional<at::Tensor>(bias),
                             std::int64_t{3}, std::string("tag"));
    std::get<0>(result).sum().backward();
    return Tensors{std::get<0>(result).detach(), x.grad(), bias.grad()};
  });
}

TEST(Arguments, AVectorOfMoveOnlyElementsIsKeptLikeAMoveOnlyArgument) {
  const at::Tensor x = ramp_leaf({3});
  std::vector<std::unique_ptr<double>> factors;
  factors.push_back(std::make_unique<double>(2));
  const auto fn = [](const at::Tensor& t, const std::vector<std::unique_ptr<double>>& kept) {
    return (t * *kept[0]).sin();
  };
  checkpoint(fn, x, std::move(factors)).sum().backward();

  EXPECT_TRUE(bitwise_equal(x.grad(), ((x.detach() * 2).cos() * 2)));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Arguments, TheResultTypeIsTheFunctionsOwn) {
  const at::Tensor x = ramp_leaf({3});
  static_assert(std::is_same_v<decltype(checkpoint(mixed, x, x, std::nullopt, 1, "")),
                               std::tuple<at::Tensor, at::Tensor, std::int64_t>>);
  static_assert(
      std::is_same_v<decltype(checkpoint([](const at::Tensor& t) { return t; }, x)), at::Tensor>);
  static_assert(std::is_same_v<decltype(checkpoint([](int i) { return i + 1; }, 1)), int>);
  static_assert(std::is_void_v<decltype(checkpoint([](const at::Tensor&) {}, x))>);
  static_assert(std::is_same_v<decltype(checkpoint([](at::Tensor& t) -> at::Tensor& { return t; },
                                                   std::declval<at::Tensor&>())),
                               at::Tensor&>);

  EXPECT_EQ(checkpoint([](int i) { return i + 1; }, 1), 2);
}

TEST(Arguments, AReferenceResultRefersToTheCallersTensor) {
  at::Tensor x = ramp_leaf({3});

  at::Tensor& same = checkpoint([](at::Tensor& t) -> at::Tensor& { return t; }, x);

  EXPECT_EQ(&same, &x);
}

TEST(Arguments, AFunctionWithoutArgumentsOrResultIsARegion) {
  expect_same([](bool as_region) {
    const at::Tensor w = ramp_leaf({3});
    at::Tensor out;
    const auto fn = [&] { out = w.sin().exp(); };
    as_region ? checkpoint(fn) : fn();
    const at::Tensor loss = out.sum();
    out.reset();
    loss.backward();
    out.reset();  // the rerun has set it again
    return Tensors{w.grad()};
  });
}

TEST(Arguments, VectorsOfTensorsAreFound) {
  expect_same([](bool as_region) {
    const std::vector<at::Tensor> inputs = {ramp_leaf({3}), ramp_leaf({2}), at::Tensor()};
    const std::vector<at::Tensor> y = call(
        as_region,
        [](const std::vector<at::Tensor>& in) {
          return std::vector<at::Tensor>{in[0].sin().exp(), in[1].cos(), in[2]};
        },
        inputs);
    (y[0].sum() + y[1].square().sum()).backward();
    return Tensors{inputs[0].grad(), inputs[1].grad()};
  });
}

TEST(Arguments, NestedContainersAreFound) {
  using Nested =
      std::map<std::string, std::vector<std::pair<at::Tensor, std::optional<at::Tensor>>>>;
  expect_same([](bool as_region) {
    const at::Tensor a = ramp_leaf({3});
    const at::Tensor b = ramp_leaf({3});
    const Nested nested = {{"first", {{a, b}, {b, std::nullopt}}}, {"second", {}}};
    const std::array<at::Tensor, 2> y = call(
        as_region,
        [](const Nested& in) {
          const auto& first = in.at("first");
          return std::array<at::Tensor, 2>{(first[0].first * *first[0].second).sin(),
                                           first[1].first.exp()};
        },
        nested);
    (y[0].sum() + y[1].sum()).backward();
    return Tensors{a.grad(), b.grad()};
  });
}

using Features = std::map<std::string, at::Tensor>;

std::vector<torch::nn::Linear> narrowing_layers() {
  return {torch::nn::Linear(4, 6), torch::nn::Linear(6, 5), torch::nn::Linear(5, 3)};
}

TEST(Arguments, AMapWhoseEntryTheFunctionReplacesIsReplayedFromTheOriginalEntry) {
  expect_same([](bool as_region) {
    torch::manual_seed(1);
    std::vector<torch::nn::Linear> layers = narrowing_layers();
    const at::Tensor x = torch::linspace(-1, 1, 8).view({2, 4}).requires_grad_();
    Features features = {{"feat", x}, {"other", torch::ones({2})}};
    for (torch::nn::Linear& layer : layers) {
      features = call(
          as_region,
          [layer](Features m) mutable {
            m["feat"] = layer(m["feat"]).relu();
            return m;
          },
          features);
    }
    features["feat"].sum().backward();
    return Tensors{x.grad(), layers[0]->weight.grad(), layers[1]->weight.grad(),
                   layers[2]->bias.grad()};
  });
}

TEST(Arguments, AMapThatTheFunctionChangesByReferenceIsReplayedFromTheOriginalEntry) {
  expect_same([](bool as_region) {
    torch::manual_seed(1);
    std::vector<torch::nn::Linear> layers = narrowing_layers();
    const at::Tensor x = torch::linspace(-1, 1, 8).view({2, 4}).requires_grad_();
    Features features = {{"feat", x}};
    for (torch::nn::Linear& layer : layers) {
      call(
          as_region,
          [layer](Features& m) mutable {
            m["feat"] = layer(m["feat"]).relu();
            return m["feat"];
          },
          features);
    }
    features["feat"].sum().backward();
    features.clear();
    return Tensors{x.grad(), layers[0]->weight.grad(), layers[2]->bias.grad()};
  });
}

struct Encoded {
  at::Tensor hidden = {};
  std::vector<at::Tensor> skips = {};
  int depth = 0;
};

template <class Visit>
void visit_tensors(Encoded& encoded, Visit&& visit) {
  visit(encoded.hidden);
  for (at::Tensor& skip : encoded.skips) {
    visit(skip);
  }
}

TEST(Arguments, AStructWithItsOwnVisitIsArgumentAndResult) {
  const auto counted = stats();
  CheckpointOptions options = support::rerunning();
  options.stats = counted;
  expect_same([&](bool as_region) {
    const at::Tensor x = ramp_leaf({3});
    const auto encode = [](const Encoded& in) {
      return Encoded{
          .hidden = in.hidden.sin().exp(), .skips = {in.hidden.cos()}, .depth = in.depth + 1};
    };
    const Encoded input{.hidden = x, .depth = 4};
    const Encoded y = as_region ? checkpoint(options, encode, input) : encode(input);
    EXPECT_EQ(y.depth, 5);
    (y.hidden.sum() + y.skips[0].square().sum()).backward();
    return Tensors{y.hidden.detach(), x.grad()};
  });
  EXPECT_EQ(counted->total().reruns, 1);
}

struct Unknown {
  at::Tensor hidden;
};

TEST(Arguments, AStructThatNobodyVisitsWorksAllTheSame) {
  expect_same([](bool as_region) {
    const at::Tensor x = ramp_leaf({3});
    const Unknown y = call(
        as_region, [](const Unknown& in) { return Unknown{in.hidden.sin().exp()}; },
        Unknown{x.cos()});
    y.hidden.sum().backward();
    return Tensors{y.hidden.detach(), x.grad()};
  });
}

TEST(Arguments, AMoveOnlyArgumentIsKeptByTheRegion) {
  expect_same([](bool as_region) {
    const at::Tensor x = ramp_leaf({3});
    auto scale = std::make_unique<double>(3);
    const at::Tensor y = call(
        as_region,
        [](const at::Tensor& t, const std::unique_ptr<double>& by) { return (t * *by).sin(); }, x,
        std::move(scale));
    y.sum().backward();
    return Tensors{y.detach(), x.grad()};
  });
}

TEST(Arguments, AMoveOnlyFunctionIsKeptByTheRegion) {
  const at::Tensor x = ramp_leaf({3});
  auto fn = [scale = std::make_unique<double>(3)](const at::Tensor& t) {
    return (t * *scale).sin();
  };
  checkpoint(std::move(fn), x).sum().backward();

  EXPECT_TRUE(bitwise_equal(x.grad(), 3 * (x.detach() * 3).cos()));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Arguments, AMutableFunctionStartsEachRunFromTheSameState) {
  const at::Tensor x = ramp_leaf({3});
  const at::Tensor y =
      checkpoint([calls = 1](const at::Tensor& t) mutable { return (t * ++calls).sin(); }, x);
  y.sum().backward();

  EXPECT_TRUE(bitwise_equal(x.grad(), 2 * (x.detach() * 2).cos()));
}

TEST(Arguments, ModulesHoldersAndSharedPointersAreCallables) {
  torch::nn::Linear layer(3, 3);
  const std::shared_ptr<torch::nn::LinearImpl> pointer = layer.ptr();
  const at::Tensor x = torch::linspace(-1, 1, 6).view({2, 3}).requires_grad_();

  (checkpoint(layer, x).sin().sum() + checkpoint(pointer, x).sin().sum()).backward();
  const at::Tensor got = x.grad().clone();

  x.mutable_grad() = at::Tensor();
  (layer(x).sin().sum() + layer(x).sin().sum()).backward();
  EXPECT_TRUE(bitwise_equal(got, x.grad()));
}

TEST(Arguments, ASequentialAndAMemberFunctionAreCallables) {
  struct Block {
    at::Tensor weight = ramp_leaf({3, 3});
    at::Tensor forward(const at::Tensor& t) { return t.mm(weight).tanh(); }
  };
  const auto block = std::make_shared<Block>();
  torch::nn::Sequential net(torch::nn::Linear(3, 3), torch::nn::Tanh());
  net->to(torch::kDouble);
  const at::Tensor x = ramp_leaf({2, 3});

  checkpoint(net, checkpoint(block, checkpoint(&Block::forward, *block, x))).sum().backward();
  const at::Tensor got = x.grad().clone();

  x.mutable_grad() = at::Tensor();
  net->forward(block->forward(block->forward(x))).sum().backward();
  EXPECT_TRUE(bitwise_equal(got, x.grad()));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Arguments, AnArgumentThatTheFunctionReassignsIsReassignedOnce) {
  expect_same([](bool as_region) {
    const at::Tensor x = ramp_leaf({3});
    at::Tensor h = x.exp();
    const at::Tensor y = call(
        as_region,
        [](at::Tensor& t) {
          t = t.sin();
          return t.exp();
        },
        h);
    (y.sum() + h.sum()).backward();
    return Tensors{y.detach(), h.detach(), x.grad()};
  });
}

TEST(Arguments, AnArgumentMovedInIsFreedWithTheRegion) {
  const at::Tensor x = ramp_leaf({3});
  at::Tensor h = x.exp();
  c10::weak_intrusive_ptr<c10::StorageImpl> storage = h.storage().getWeakStorageImpl();
  {
    const at::Tensor y = checkpoint([](at::Tensor t) { return t.sin().cos(); }, std::move(h));
    y.sum().backward();
  }
  EXPECT_TRUE(storage.expired());
}

TEST(Arguments, TheSameTensorTwiceIsTheSameTensorTwice) {
  expect_same([](bool as_region) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor y = call(
        as_region, [](const at::Tensor& a, const at::Tensor& b) { return (a * b).sin(); }, x, x);
    y.sum().backward();
    return Tensors{y.detach(), x.grad()};
  });
}

TEST(Arguments, ArgumentsOfANestedRegionMayBeOfAnyKind) {
  const auto fn = [](const Features& in, const std::optional<at::Tensor>& scale, double power) {
    return checkpoint(
        [](const Features& inner, const std::optional<at::Tensor>& by, double to) {
          return Features{{"y", (inner.at("x") * *by).exp().pow(to)}};
        },
        in, scale, power);
  };
  expect_same([&](bool as_region) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor scale = leaf({2});
    Features y = call(as_region, fn, Features{{"x", x.sin()}, {"unused", at::Tensor()}},
                      std::optional<at::Tensor>(scale), 1.5);
    y["y"].sum().backward();
    y.clear();
    return Tensors{x.grad(), scale.grad()};
  });
}

}  // namespace
}  // namespace reprise
