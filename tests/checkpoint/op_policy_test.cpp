// SPDX-License-Identifier: Apache-2.0
// Policies of a region: what they keep is not made again, and gradients are those of plain training
// whatever they say.
#include <cstdint>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::throws_modified_in_place;
using testing::HasSubstr;
using testing::ThrowsMessage;

CheckpointOptions counted(OpPolicy policy, NamePolicy name_policy = {}) {
  CheckpointOptions options;
  options.name = "region";
  options.stats = std::make_shared<RegionStats>();
  options.policy = std::move(policy);
  options.name_policy = std::move(name_policy);
  return options;
}

OpPolicy always(SaveAction action) {
  return [action](const RegionOp& /*op*/) { return action; };
}

OpPolicy save_if(const std::string& op, SaveAction action) {
  return [op, action](const RegionOp& each) {
    return each.name == op ? action : SaveAction::kMustRecompute;
  };
}

TEST(OpPolicy, SeesTheOpAsItWasCalled) {
  std::vector<std::string> seen;
  const OpPolicy policy = [&seen](const RegionOp& op) {
    std::ostringstream text;
    text << op.name << '.' << op.overload << ' ' << op.arguments.size();
    text << ' ' << op.arguments[0].toTensor().item<float>() << " -> ";
    text << op.results.at(0).toTensor().item<float>();
    seen.push_back(text.str());
    return SaveAction::kMustRecompute;
  };
  const at::Tensor x = torch::ones({}, torch::requires_grad());
  checkpoint(
      counted(policy), [](const at::Tensor& t) { return t.mul(3).neg_(); }, x)
      .backward();

  EXPECT_THAT(seen, testing::ElementsAre("aten::mul.Scalar 2 1 -> 3", "aten::neg_. 1 -3 -> -3"));
}

// Number of regions, one in the other, all with the same policy.
class OpPolicies : public testing::TestWithParam<int> {
 protected:
  using Function = std::function<at::Tensor(const at::Tensor&)>;

  // Runs a step of `fn` plainly and with the policy; expects the same bits. Returns the counts of
  // the regions.
  RegionCounts run(const Function& fn, const CheckpointOptions& options,
                   const at::Tensor& input = ramp({3})) const {
    const auto gradient = [&](int depth) {
      torch::manual_seed(1);
      const at::Tensor x = input.clone().requires_grad_();
      Nest(depth, options)(fn, x).sum().backward();
      return x.grad();
    };
    EXPECT_TRUE(bitwise_equal(gradient(GetParam()), gradient(0)));
    EXPECT_EQ(live_hooks(), 0);
    return options.stats->total();
  }
};

// exp saves its result, cos its argument: one value, made of sin's.
at::Tensor sin_exp_cos(const at::Tensor& t) { return t.sin().exp().cos(); }

TEST_P(OpPolicies, WhatAListNamesIsNotMadeAgain) {
  const RegionCounts counts = run(sin_exp_cos, counted(save_ops({"aten::exp"})));

  EXPECT_EQ(counts.recomputed_ops, 0);
  EXPECT_EQ(counts.policy_bytes, 3 * 8);
  EXPECT_EQ(counts.dropped_bytes, 0);
}

TEST_P(OpPolicies, WhatIsKeptIsWhereTheRestIsMadeFrom) {
  EXPECT_EQ(run(sin_exp_cos, counted(save_ops({"aten::sin"}))).recomputed_ops, 1);  // exp
}

TEST_P(OpPolicies, ThatKeepNothingAreARegionWithoutOne) {
  EXPECT_EQ(run(sin_exp_cos, counted(always(SaveAction::kPreferRecompute))).recomputed_ops, 2);
  EXPECT_EQ(run(sin_exp_cos, counted(always(SaveAction::kMustRecompute))).recomputed_ops, 2);
}

TEST_P(OpPolicies, ThatKeepEverythingLeaveNothingToRecompute) {
  const CheckpointOptions options = counted(always(SaveAction::kMustSave));
  EXPECT_EQ(run(sin_exp_cos, options).recomputed_ops, 0);
  EXPECT_THAT(options.stats->text(), HasSubstr("saves 0 bytes (a policy keeps its values)"));
}

TEST_P(OpPolicies, ValuesToBeOffloadedAreKeptAndCounted) {
  const CheckpointOptions options = counted(save_if("aten::exp", SaveAction::kMustOffload));
  const RegionCounts counts = run(sin_exp_cos, options);

  EXPECT_EQ(counts.recomputed_ops, 0);
  EXPECT_EQ(counts.offloads_kept, 1);
  EXPECT_THAT(options.stats->text(), HasSubstr("1 values kept that a policy would offload"));
}

// Each matrix product makes what the next sin saves.
at::Tensor four_products(const at::Tensor& t) {
  static const at::Tensor weight = ramp({3, 3});
  at::Tensor h = t;
  for (int i = 0; i < 4; ++i) {
    h = h.mm(weight).sin();
  }
  return h;
}

TEST_P(OpPolicies, EverySecondMatmulIsTheFirstTheThirdAndSoOn) {
  const at::Tensor x = ramp({3, 3});
  // The last sin is made by nobody again.
  EXPECT_EQ(run(four_products, counted(save_matmuls()), x).recomputed_ops, 0);
  // The second and the fourth product, each from the sin before it.
  EXPECT_EQ(run(four_products, counted(save_matmuls(2)), x).recomputed_ops, 4);
}

TEST_P(OpPolicies, LargerThanCountsTheBytesOfWhatAnOpMakes) {
  const auto fn = [](const at::Tensor& t) { return t.sin().exp().repeat({2}).exp().cos(); };
  // exp of 24 bytes, repeat of 48, exp of 48.
  EXPECT_EQ(run(fn, counted(save_larger_than(24))).policy_bytes, 48 + 48 + 48);
  EXPECT_EQ(run(fn, counted(save_larger_than(47))).recomputed_ops, 2);  // sin, exp
  EXPECT_EQ(run(fn, counted(save_larger_than(48))).recomputed_ops, 4);
}

TEST_P(OpPolicies, ConvolutionsAreKept) {
  const at::Tensor weight = ramp({2, 1, 3}).requires_grad_();
  const auto fn = [&](const at::Tensor& t) {
    return torch::conv1d(t.view({1, 1, 8}).sin(), weight).exp().cos();
  };
  // exp and, for the gradient of the weight, sin.
  EXPECT_EQ(run(fn, counted(save_convolutions()), ramp({8})).recomputed_ops, 2);
}

TEST_P(OpPolicies, AttentionIsKept) {
  const auto fn = [](const at::Tensor& t) {
    return torch::scaled_dot_product_attention(t, t, t).exp();
  };
  const at::Tensor x = ramp({1, 2, 4, 8}).to(torch::kFloat);
  EXPECT_EQ(run(fn, counted(save_attention()), x).recomputed_ops, 0);
  EXPECT_EQ(run(fn, counted({}), x).recomputed_ops, 1);
}

TEST_P(OpPolicies, ANamedValueIsKeptThoughItsOpIsNot) {
  const auto fn = [](const at::Tensor& t) { return name(name(t.sin(), "a").exp(), "b").cos(); };

  EXPECT_EQ(run(fn, counted({}, save_only({"b"}))).recomputed_ops, 0);
  EXPECT_EQ(run(fn, counted({}, save_only({"a"}))).recomputed_ops, 1);
  EXPECT_EQ(run(fn, counted({}, save_any_but({"a"}))).policy_bytes, 3 * 8);
  EXPECT_EQ(run(fn, counted({}, save_any_but({"b"}))).recomputed_ops, 1);
  EXPECT_EQ(run(fn, counted({}, save_only({"c"}))).recomputed_ops, 2);
}

TEST_P(OpPolicies, ANameOverrulesWhatIsSaidOfTheOp) {
  const auto fn = [](const at::Tensor& t) { return name(t.sin().exp(), "b").cos(); };
  const CheckpointOptions options = counted(always(SaveAction::kMustSave), save_any_but({"b"}));
  EXPECT_EQ(run(fn, options).recomputed_ops, 1);
}

TEST_P(OpPolicies, ANameOfAViewIsTheNameOfItsMemory) {
  const auto fn = [](const at::Tensor& t) {
    const at::Tensor h = t.sin().exp();
    name(h.view({3, 1}), "h");
    return h.cos();
  };
  EXPECT_EQ(run(fn, counted({}, save_only({"h"}))).recomputed_ops, 0);
}

TEST_P(OpPolicies, WhatIsWrittenInPlaceIsKeptIfItIsOnlyPreferred) {
  const auto fn = [](const at::Tensor& t) { return t.sin().mul_(2).cos(); };
  const RegionCounts counts = run(fn, counted(save_if("aten::sin", SaveAction::kPreferSave)));
  EXPECT_EQ(counts.recomputed_ops, 0);
}

TEST_P(OpPolicies, WritingWhatMustBeSavedIsAnError) {
  const CheckpointOptions options = counted(save_if("aten::sin", SaveAction::kMustSave));
  const at::Tensor x = ramp_leaf({3});
  EXPECT_THAT(
      [&] {
        Nest(GetParam(), options)([](const at::Tensor& t) { return t.sin().mul_(2).cos(); }, x);
      },
      ThrowsMessage<c10::Error>(
          HasSubstr("aten::mul_ writes a value of 24 bytes that the policy of the region")));

  EXPECT_EQ(live_hooks(), 0);
  EXPECT_EQ(run(sin_exp_cos, options).recomputed_ops, 1);
}

// `add` makes what is saved; a policy keeps what it is made from.
struct Leaked {
  at::Tensor kept;
  at::Tensor operator()(const at::Tensor& t) {
    kept = t.mul(2);
    return kept.add(1).sin();
  }
  void change() const {
    const torch::NoGradGuard no_grad;
    kept.zero_();
  }
};

TEST_P(OpPolicies, WhatMustBeSavedMustNotBeChangedUntilBackward) {
  const Nest region(GetParam(), counted(save_if("aten::mul", SaveAction::kMustSave)));
  const at::Tensor x = ramp_leaf({3});
  Leaked leaked;
  {
    const at::Tensor y = region(std::ref(leaked), x);
    leaked.change();
    EXPECT_THAT([&] { y.sum().backward(); }, throws_modified_in_place());
  }
  leaked = {};
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(live_hooks(), 0);
}

TEST_P(OpPolicies, WhatIsPreferredIsMadeAgainIfItWasChanged) {
  const CheckpointOptions options = counted(save_if("aten::mul", SaveAction::kPreferSave));
  const at::Tensor plain = ramp_leaf({3});
  Leaked()(plain).sum().backward();
  const at::Tensor x = ramp_leaf({3});
  {
    Leaked leaked;
    const at::Tensor y = Nest(GetParam(), options)(std::ref(leaked), x);
    leaked.change();
    y.sum().backward();
  }
  EXPECT_TRUE(bitwise_equal(x.grad(), plain.grad()));
  EXPECT_EQ(options.stats->total().recomputed_ops, 2);
  EXPECT_EQ(live_hooks(), 0);
}

TEST_P(OpPolicies, KeepTheirValuesForASecondBackward) {
  const CheckpointOptions options = counted(save_ops({"aten::sin"}));
  const at::Tensor x = ramp_leaf({3});
  at::Tensor first;
  {
    const at::Tensor y = Nest(GetParam(), options)(sin_exp_cos, x).sum();
    y.backward({}, /*retain_graph=*/true);
    first = x.grad().clone();
    x.mutable_grad().reset();
    y.backward();
  }
  EXPECT_TRUE(bitwise_equal(x.grad(), first));
  EXPECT_EQ(options.stats->total().recomputed_ops, 2);
  EXPECT_EQ(live_hooks(), 0);
}

TEST_P(OpPolicies, LetGoWhenBackwardIsOverThoughTheResultLives) {
  c10::weak_intrusive_ptr<c10::StorageImpl> kept{c10::intrusive_ptr<c10::StorageImpl>()};
  const Nest region(GetParam(), counted(save_ops({"aten::exp"})));
  const at::Tensor y = region(
      [&](const at::Tensor& t) {
        const at::Tensor h = t.sin().exp();
        kept = h.storage().getWeakStorageImpl();
        return h.cos();
      },
      ramp_leaf({3}));
  EXPECT_FALSE(kept.expired());
  y.sum().backward();
  EXPECT_TRUE(kept.expired());
}

TEST_P(OpPolicies, WhatAPolicyThrowsLeavesThroughTheFunction) {
  const CheckpointOptions options = counted(
      [](const RegionOp& op) -> SaveAction { throw std::domain_error(std::string(op.name)); });
  const at::Tensor x = ramp_leaf({3});
  EXPECT_THAT([&] { Nest(GetParam(), options)(sin_exp_cos, x); },
              ThrowsMessage<std::domain_error>("aten::sin"));
  EXPECT_EQ(live_hooks(), 0);
}

INSTANTIATE_TEST_SUITE_P(Depth, OpPolicies, testing::Values(1, 2, 3));

TEST(OpPolicy, OfAnInnerRegionKeepsNothingThatTheOuterOneDrops) {
  const CheckpointOptions inner = counted(save_ops({"aten::exp"}));
  CheckpointOptions outer = counted({});
  outer.name = "outer";
  const at::Tensor x = ramp_leaf({3});
  checkpoint(
      outer, [&](const at::Tensor& t) { return checkpoint(inner, sin_exp_cos, t); }, x)
      .sum()
      .backward();

  EXPECT_EQ(inner.stats->total().recomputed_ops, 2);
  EXPECT_EQ(inner.stats->total().policy_bytes + outer.stats->total().policy_bytes, 0);
}

TEST(OpPolicy, BeginsToCountAnewInEachRegion) {
  const CheckpointOptions options = counted(save_matmuls(2));
  const at::Tensor w = ramp({3, 3});
  at::Tensor h = ramp_leaf({3, 3});
  for (int i = 0; i < 2; ++i) {
    h = checkpoint(
        options, [&](const at::Tensor& t) { return t.mm(w).sin(); }, h);
  }
  EXPECT_EQ(options.stats->total().policy_bytes, 2 * 9 * 8);
}

TEST(OpPolicy, OfARegionThatRerunsIsRefused) {
  CheckpointOptions options = counted(save_matmuls());
  options.recompute = Recompute::kRerun;
  EXPECT_THAT([&] { checkpoint(options, sin_exp_cos, ramp_leaf({3})); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("'region' runs its function again as a whole")));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(OpPolicy, RefusesAnOperatorThatDoesNotExist) {
  EXPECT_THAT(
      [] {
        save_ops({"aten::mm", "aten::nn"});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("got 'aten::nn'")));
}

TEST(OpPolicy, RefusesAnOperatorThatRegionsNeverSee) {
  EXPECT_THAT(
      [] { save_ops({"aten::linear"}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("'aten::linear' only calls other operators")));
}

TEST(OpPolicy, RefusesNumbersThatMakeNoSense) {
  EXPECT_THAT([] { save_matmuls(0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("got 0")));
  EXPECT_THAT([] { save_larger_than(-1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got -1")));
}

TEST(OpPolicy, ANameOutsideOfARegionIsOnlyTheTensor) {
  const at::Tensor x = ramp({3});
  EXPECT_TRUE(name(x, "x").is_same(x));
}

TEST(RegionReport, SaysThatNothingIsNeededFromInside) {
  const CheckpointOptions options = counted({});
  checkpoint(
      options, [](const at::Tensor& t) { return t * 2; }, ramp_leaf({3}))
      .sum()
      .backward();
  EXPECT_THAT(options.stats->text(),
              HasSubstr("saves 0 bytes (backward needs no value from inside)"));
}

TEST(RegionReport, SaysThatOthersHoldWhatIsSaved) {
  const CheckpointOptions options = counted({});
  const at::Tensor y = checkpoint(
      options, [](const at::Tensor& t) { return t.exp(); }, ramp_leaf({3}));
  EXPECT_THAT(options.stats->text(), HasSubstr("saves 0 bytes (what backward needs of it are"));
}

TEST(RegionReport, SaysThatBringingBackTakesMoreThanItSaves) {
  const CheckpointOptions options = counted({});
  checkpoint(
      options,
      [](const at::Tensor& t) { return t.repeat({100}).exp().slice(0, 0, 3).clone().cos(); },
      ramp_leaf({3}))
      .sum()
      .backward();
  EXPECT_THAT(options.stats->text(), HasSubstr("saves 2424 bytes (bringing them back takes 4800"));
}

}  // namespace
}  // namespace reprise
