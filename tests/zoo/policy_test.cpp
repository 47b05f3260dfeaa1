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
  EXPECT_THAT(forms, ElementsAre("none", "block", "every=K", "sqrt", "best", "segments=N",
                                 "bytes=N", "cost=N", "attention", "ffn"));
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

// Nine blocks of sines over 100 floats. A block takes 400 bytes; of what its sines save, the first
// one's is the block's input, so a region frees 400 bytes less.
class Sines final : public Model {
 public:
  explicit Sines(std::int64_t sines_per_block)
      : sines_per_block_(sines_per_block),
        weight_(register_parameter("weight", torch::ones({100}))) {}

  at::Tensor loss(const Batch&) override {
    return run_segments(weight_ * 1,
                        [this](std::int64_t, const at::Tensor& input) {
                          at::Tensor x = input;
                          for (std::int64_t i = 0; i < sines_per_block_; ++i) {
                            x = x.sin();
                          }
                          return x;
                        })
        .sum();
  }
  std::int64_t blocks() const override { return 9; }
  std::string description() const override { return "sines"; }

 private:
  std::int64_t sines_per_block_;
  at::Tensor weight_;
};

TEST(Policy, BestWeighsInputsThatAreKeptAgainstBlocksThatAreRecomputed) {
  // In units of 400 bytes: ceil(9 / k) + k is 10, 7, 6, 7, ...
  Sines small_blocks(1);
  EXPECT_EQ(place_policy("best", small_blocks, {}).segments, plan::every_k(9, 3));
  // ceil(9 / k) + 5 k is 14, 15, 18, ...
  Sines large_blocks(5);
  EXPECT_EQ(place_policy("best", large_blocks, {}).segments, plan::every_k(9, 1));
}

TEST(Policy, IsUsedFromASequenceLengthOn) {
  const std::shared_ptr<Model> model = make_model(tiny("gpt"));
  const Batch batch = tiny_data("gpt")->batch(Split::kTrain, 0);  // 8 tokens
  const RegionPlacement sqrt = place_policy("sqrt", *model, batch);
  EXPECT_EQ(from_sequence_length(sqrt, *model, batch, 8).segments, sqrt.segments);
  EXPECT_EQ(from_sequence_length(sqrt, *model, batch, 9).segments, plan::all_plain(4));
}

TEST(Policy, OfAPartIsUsedFromASequenceLengthOn) {
  const std::shared_ptr<Model> model = make_model(tiny("audio"));
  const Batch batch = tiny_data("audio")->batch(Split::kTrain, 0);  // 1600 samples
  const RegionPlacement attention = place_policy("attention", *model, batch);
  EXPECT_EQ(from_sequence_length(attention, *model, batch, 1600).scope, RegionScope::kAttention);
  EXPECT_EQ(from_sequence_length(attention, *model, batch, 1601).scope, RegionScope::kBlocks);
}

TEST(Policy, RejectsASequenceLengthForAModelOfImages) {
  const std::shared_ptr<Model> model = make_model(tiny("cnn"));
  const Batch batch = tiny_data("cnn")->batch(Split::kTrain, 0);
  EXPECT_THAT(message_of([&] { from_sequence_length({}, *model, batch, 8); }),
              HasSubstr("expected a model of sequences, got cnn"));
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
            "policy: expected one of none, block, every=K, sqrt, best, segments=N, bytes=N, "
            "cost=N, attention, ffn, got 'every-2'");
}

TEST(Policy, RejectsAMissingOrSuperfluousNumber) {
  EXPECT_THROW(check_policy("every"), std::invalid_argument);
  EXPECT_THROW(check_policy("sqrt=2"), std::invalid_argument);
  EXPECT_THROW(check_policy(""), std::invalid_argument);
}

TEST(Policy, RejectsANumberThatIsNotAPositiveInteger) {
  EXPECT_EQ(message_of([] { check_policy("every=0"); }),
            "policy: expected every=K with an integer K >= 1, got 'every=0'");
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
