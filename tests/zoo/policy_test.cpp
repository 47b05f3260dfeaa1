// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "temporary_folder.h"
#include "train_step.h"

namespace reprise::zoo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string segments_text(const std::string& policy, const std::string& model) {
  const std::shared_ptr<Model> made = make_model(tiny(model));
  return place_policy(policy, *made, {}).segments.text();
}

TEST(Policy, NamesEveryFormInItsHelp) {
  std::vector<std::string> forms;
  for (const PolicyHelp& policy : policies()) {
    forms.push_back(policy.form);
  }
  EXPECT_THAT(forms, ElementsAre("none", "block", "every=K", "sqrt", "segments=N", "bytes=N",
                                 "cost=N", "attention", "ffn"));
}

TEST(Policy, NonePlacesNothing) { EXPECT_EQ(segments_text("none", "gpt"), "nothing checkpointed"); }

TEST(Policy, BlockMakesEveryBlockARegionAlsoTheLast) {
  EXPECT_EQ(segments_text("block", "gpt"), "0 region, 1 region, 2 region, 3 region");
}

TEST(Policy, EveryKLeavesTheLastSegmentPlain) {
  EXPECT_EQ(segments_text("every=3", "gpt"), "0-2 region, 3 plain");
}

TEST(Policy, SqrtOfTenBlocksIsFourSegments) {
  EXPECT_EQ(segments_text("sqrt", "audio"), "0-2 region, 3-5 region, 6-7 region, 8-9 plain");
}

TEST(Policy, SegmentsDifferByAtMostOne) {
  EXPECT_EQ(segments_text("segments=3", "gpt"), "0-1 region, 2 region, 3 plain");
}

TEST(Policy, AttentionAndFfnChooseAScope) {
  const std::shared_ptr<Model> model = make_model(tiny("gpt"));
  EXPECT_EQ(place_policy("attention", *model, {}).scope, RegionScope::kAttention);
  EXPECT_EQ(place_policy("ffn", *model, {}).scope, RegionScope::kFeedForward);
}

TEST(Policy, PassesTheOptionsOn) {
  const std::shared_ptr<Model> model = make_model(tiny("gpt"));
  tape::RegionOptions options;
  options.debug = true;
  EXPECT_TRUE(place_policy("block", *model, {}, options).options.debug);
}

TEST(Policy, RejectsAnUnknownName) {
  EXPECT_EQ(message_of([] { check_policy("every-2"); }),
            "policy: expected one of none, block, every=K, sqrt, segments=N, bytes=N, cost=N, "
            "attention, ffn, got 'every-2'");
}

TEST(Policy, RejectsAMissingOrSuperfluousNumber) {
  EXPECT_THROW(check_policy("every"), std::invalid_argument);
  EXPECT_THROW(check_policy("sqrt=2"), std::invalid_argument);
  EXPECT_THROW(check_policy(""), std::invalid_argument);
}

TEST(Policy, RejectsANumberThatIsNotAPositiveInteger) {
  EXPECT_EQ(message_of([] { check_policy("every=0"); }),
            "policy: expected a positive integer after '=', got 'every=0'");
  EXPECT_THROW(check_policy("every=-1"), std::invalid_argument);
  EXPECT_THROW(check_policy("every="), std::invalid_argument);
  EXPECT_THROW(check_policy("segments=2x"), std::invalid_argument);
  EXPECT_THROW(check_policy("segments=1.5"), std::invalid_argument);
  EXPECT_THROW(check_policy("segments=99999999999999999999"), std::invalid_argument);
}

TEST(Policy, RejectsAPartThatTheModelDoesNotHave) {
  const std::shared_ptr<Model> model = make_model(tiny("lstm"));
  EXPECT_THAT(message_of([&] { place_policy("attention", *model, {}); }),
              HasSubstr("for 'attention', got lstm"));
}

}  // namespace
}  // namespace reprise::zoo
