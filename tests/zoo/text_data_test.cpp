// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/text_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/plan/format_error.h"
#include "temporary_folder.h"
#include "train_step.h"

namespace reprise::zoo {
namespace {

// 90 times 'a' to train on, 10 times 'b' to validate on.
std::string two_letters() { return std::string(90, 'a') + std::string(10, 'b'); }

std::string counting_bytes() {
  std::string bytes;
  for (int i = 0; i < 200; ++i) {
    bytes.push_back(static_cast<char>(i));
  }
  return bytes;
}

TEST(TextData, TrainsOnTheFirstNineTenthsAndValidatesOnTheRest) {
  const TemporaryFolder folder;
  const TextData data(folder.file("t", two_letters()), {.batch_size = 16, .context = 8});
  EXPECT_TRUE(data.batch(Split::kTrain, 0).inputs[0].eq('a').all().item<bool>());
  EXPECT_TRUE(data.batch(Split::kTrain, 0).target.eq('a').all().item<bool>());
  EXPECT_TRUE(data.batch(Split::kValidation, 0).inputs[0].eq('b').all().item<bool>());
  EXPECT_TRUE(data.batch(Split::kValidation, 0).target.eq('b').all().item<bool>());
}

TEST(TextData, AsksForTheFollowingByte) {
  const TemporaryFolder folder;
  const TextData data(folder.file("t", counting_bytes()), {.batch_size = 4, .context = 8});
  const Batch batch = data.batch(Split::kTrain, 3);
  EXPECT_EQ(batch.inputs[0].sizes(), (std::vector<std::int64_t>{4, 8}));
  EXPECT_TRUE(torch::equal(batch.target, batch.inputs[0] + 1));
}

TEST(TextData, GivesABatchAsAFunctionOfSeedSplitAndIndex) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t", counting_bytes());
  const TextData data(path, {.batch_size = 4, .context = 8, .seed = 1});
  const TextData again(path, {.batch_size = 4, .context = 8, .seed = 1});
  const TextData other(path, {.batch_size = 4, .context = 8, .seed = 2});
  const at::Tensor tokens = data.batch(Split::kTrain, 5).inputs[0];
  data.batch(Split::kTrain, 6);
  EXPECT_TRUE(torch::equal(data.batch(Split::kTrain, 5).inputs[0], tokens));
  EXPECT_TRUE(torch::equal(again.batch(Split::kTrain, 5).inputs[0], tokens));
  EXPECT_FALSE(torch::equal(other.batch(Split::kTrain, 5).inputs[0], tokens));
  EXPECT_FALSE(torch::equal(data.batch(Split::kTrain, 6).inputs[0], tokens));
}

TEST(TextData, LeavesTheDefaultGeneratorAlone) {
  const TemporaryFolder folder;
  const TextData data(folder.file("t", counting_bytes()), {.batch_size = 4, .context = 8});
  torch::manual_seed(5);
  const at::Tensor expected = torch::rand({4});
  torch::manual_seed(5);
  data.batch(Split::kTrain, 0);
  EXPECT_TRUE(bitwise_equal({torch::rand({4})}, {expected}));
}

TEST(TextData, DescribesTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t", two_letters());
  const TextData data(path, {.batch_size = 2, .context = 4});
  EXPECT_EQ(data.description(), path + ": 90 bytes to train on, 10 to validate on");
  EXPECT_EQ(data.items_per_batch(), 8);
  EXPECT_FALSE(data.is_synthetic());
}

TEST(TextData, RejectsATextShorterThanTenWindows) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t", two_letters());
  EXPECT_NO_THROW(TextData(path, {.context = 9}));
  EXPECT_EQ(message_of([&] { TextData(path, {.context = 10}); }),
            path + ": expected at least 110 bytes for a context of 10, got 100");
}

TEST(TextData, RejectsAFileThatIsNotThere) {
  EXPECT_THROW(TextData("/no/such/file", {}), FormatError);
  EXPECT_THROW(TextData("/", {}), FormatError);
}

}  // namespace
}  // namespace reprise::zoo
