// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/zoo/policy.h"
#include "temporary_folder.h"
#include "train_step.h"

namespace reprise::zoo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> region_names(const std::string& name, RegionPlacement placement) {
  const std::shared_ptr<Model> model = make_model(tiny(name));
  placement.options.stats = std::make_shared<tape::RegionStats>();
  model->place_regions(placement);
  model->loss(tiny_data(name)->batch(Split::kTrain, 0));
  std::vector<std::string> names;
  for (const auto& [region, counts] : placement.options.stats->by_name()) {
    names.push_back(region);
  }
  return names;
}

RegionPlacement over(RegionScope scope) {
  RegionPlacement placement;
  placement.scope = scope;
  return placement;
}

TEST(Model, HasNoRegionsAtFirst) { EXPECT_EQ(make_model(tiny("gpt"))->regions(), 0); }

TEST(Model, NamesARegionAfterItsBlocks) {
  RegionPlacement placement;
  placement.segments.segments = {{0, 1, true}, {1, 2, false}, {2, 4, true}};
  EXPECT_THAT(region_names("gpt", placement), ElementsAre("block0", "blocks2-3"));
}

TEST(Model, NamesTheRegionOfAPartAfterItsBlockAndThePart) {
  EXPECT_THAT(region_names("audio", over(RegionScope::kAttention)),
              ElementsAre("block8.attention", "block9.attention"));
  EXPECT_THAT(region_names("audio", over(RegionScope::kFeedForward)),
              ElementsAre("block8.feed_forward", "block9.feed_forward"));
}

TEST(Model, RejectsSegmentsThatEndBeforeTheLastBlock) {
  RegionPlacement placement;
  placement.segments.segments = {{0, 2, true}, {2, 3, true}};
  EXPECT_EQ(message_of([&] { make_model(tiny("gpt"))->place_regions(placement); }),
            "place_regions: expected segments over 4 blocks, got 3");
}

TEST(Model, RejectsSegmentsThatGoBeyondTheLastBlock) {
  RegionPlacement placement;
  placement.segments.segments = {{0, 5, true}};
  EXPECT_EQ(message_of([&] { make_model(tiny("gpt"))->place_regions(placement); }),
            "place_regions: expected segments over 4 blocks, got 5");
}

TEST(Model, RejectsSegmentsWithAGap) {
  RegionPlacement placement;
  placement.segments.segments = {{0, 1, true}, {2, 4, true}};
  EXPECT_EQ(message_of([&] { make_model(tiny("gpt"))->place_regions(placement); }),
            "place_regions: expected a segment that begins at block 1, got [2, 4)");
}

TEST(Model, RejectsAnEmptySegment) {
  RegionPlacement placement;
  placement.segments.segments = {{0, 0, true}, {0, 4, true}};
  EXPECT_THROW(make_model(tiny("gpt"))->place_regions(placement), std::invalid_argument);
}

TEST(Model, RejectsAScopeThatItsBlocksDoNotHave) {
  EXPECT_THAT(
      message_of([] { make_model(tiny("cnn"))->place_regions(over(RegionScope::kAttention)); }),
      HasSubstr("has, got attention"));
}

TEST(Model, RejectsSegmentsBesideAPartOfEveryBlock) {
  RegionPlacement placement = over(RegionScope::kAttention);
  placement.segments.segments = {{0, 4, true}};
  EXPECT_THROW(make_model(tiny("gpt"))->place_regions(placement), std::invalid_argument);
}

TEST(Model, KeepsItsPlacementWhenANewOneIsRejected) {
  const std::shared_ptr<Model> model = make_model(tiny("gpt"));
  model->place_regions(over(RegionScope::kAttention));
  RegionPlacement wrong;
  wrong.segments.segments = {{0, 9, true}};
  EXPECT_THROW(model->place_regions(wrong), std::invalid_argument);
  EXPECT_EQ(model->regions(), 4);
}

class EveryModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryModel, LearnsABatchInAFewSteps) {
  torch::manual_seed(1);
  const std::shared_ptr<Model> model = make_model(tiny(GetParam()));
  const Batch batch = tiny_data(GetParam())->batch(Split::kTrain, 0);
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(1e-2));
  const auto first = model->loss(batch).item<double>();
  for (int step = 0; step < 20; ++step) {
    optimizer.zero_grad();
    model->loss(batch).backward();
    optimizer.step();
  }
  EXPECT_LT(model->loss(batch).item<double>(), 0.8 * first);
}

TEST_P(EveryModel, RunsWithRegionsAndWithoutGradients) {
  torch::manual_seed(1);
  const std::shared_ptr<Model> model = make_model(tiny(GetParam()));
  const Batch batch = tiny_data(GetParam())->batch(Split::kValidation, 0);
  model->eval();
  const torch::NoGradGuard no_grad;
  const at::Tensor plain = model->loss(batch);
  model->place_regions(place_policy("block", *model, batch));
  EXPECT_TRUE(bitwise_equal({model->loss(batch)}, {plain}));
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryModel, testing::ValuesIn(model_names()));

}  // namespace
}  // namespace reprise::zoo
