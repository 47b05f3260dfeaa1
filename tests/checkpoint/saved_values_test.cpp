// SPDX-License-Identifier: Apache-2.0
// saved_values(): what a region would keep, and why.
#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::ramp;
using support::ramp_leaf;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using Why = KeptValue::Why;

auto is_kept(Why why, std::int64_t bytes, const std::string& tensor, const std::string& op) {
  return AllOf(Field("why", &KeptValue::why, why), Field("bytes", &KeptValue::bytes, bytes),
               Field("tensor", &KeptValue::tensor, tensor), Field("op", &KeptValue::op, op));
}

TEST(SavedValues, AreArgumentsAndCapturesButNothingMadeInside) {
  const at::Tensor w = ramp_leaf({2, 2});
  EXPECT_THAT(saved_values([&](const at::Tensor& t) { return t.sin().mm(w).exp(); }, ramp({3, 2})),
              ElementsAre(is_kept(Why::kOutside, 48, "[3, 2] double", "aten::sin"),
                          is_kept(Why::kOutside, 32, "[2, 2] double", "aten::mm")));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(SavedValues, AreWhatAPolicyKeeps) {
  CheckpointOptions options;
  options.policy = save_ops({"aten::exp"});
  EXPECT_THAT(saved_values(
                  options, [](const at::Tensor& t) { return t.sin().exp().cos(); }, ramp_leaf({3})),
              ElementsAre(is_kept(Why::kOutside, 24, "[3] double", "aten::sin"),
                          is_kept(Why::kPolicy, 24, "", "aten::exp")));
}

TEST(SavedValues, AreCopiesOfWhatIsWritten) {
  const at::Tensor buffer = ramp({3});
  EXPECT_THAT(saved_values(
                  [&](const at::Tensor& t) {
                    const at::Tensor y = t * buffer;
                    buffer.zero_();
                    return y.sin();
                  },
                  ramp_leaf({3})),
              ElementsAre(is_kept(Why::kOutside, 24, "[3] double", "aten::mul"),
                          is_kept(Why::kOverwritten, 24, "[3] double", "aten::mul")));
}

TEST(SavedValues, AreRandomStates) {
  EXPECT_THAT(kept_text(saved_values(
                  [](const at::Tensor& t) { return torch::dropout(t, .5, true); }, ramp_leaf({3}))),
              testing::HasSubstr("5056 bytes: random state, for aten::"));
}

TEST(SavedValues, ListAStateThatOpsShareOnce) {
  const at::Tensor q = ramp_leaf({1, 2, 4, 8});
  const std::vector<KeptValue> kept = saved_values(
      [](const at::Tensor& t) {
        const at::Tensor h = torch::scaled_dot_product_attention(t, t, t);
        return torch::dropout(torch::scaled_dot_product_attention(h, h, h), .5, true).sin();
      },
      q);
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(),
                          [](const KeptValue& each) { return each.why == Why::kRandomState; }),
            1);
}

TEST(SavedValues, OfAFunctionThatReturnsNothingAreListedToo) {
  EXPECT_THAT(saved_values([] {}), IsEmpty());
}

TEST(SavedValues, OfInnerRegionsAreThoseOfTheOuterOne) {
  const at::Tensor w = ramp_leaf({3});
  EXPECT_THAT(saved_values(
                  [&](const at::Tensor& t) {
                    return checkpoint([&](const at::Tensor& u) { return u * w; }, t.sin()).exp();
                  },
                  ramp_leaf({3})),
              ElementsAre(is_kept(Why::kOutside, 24, "[3] double", "aten::sin"),
                          is_kept(Why::kOutside, 24, "[3] double", "aten::mul")));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(SavedValues, ReadAsALineEach) {
  EXPECT_EQ(kept_text(saved_values([](const at::Tensor& t) { return t.sin(); }, ramp_leaf({3}))),
            "24 bytes, [3] double: from outside, read by aten::sin\n");
}

}  // namespace
}  // namespace reprise
