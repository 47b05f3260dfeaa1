// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/gpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "temporary_folder.h"
#include "train_step.h"

namespace reprise::zoo {
namespace {

GptSizes small(AttentionKind attention, double dropout) {
  return {
      .layers = 2, .dim = 16, .heads = 2, .context = 8, .dropout = dropout, .attention = attention};
}

std::shared_ptr<Gpt> seeded(const GptSizes& sizes) {
  torch::manual_seed(1);
  return std::make_shared<Gpt>(sizes);
}

at::Tensor tokens() { return torch::arange(16).view({2, 8}); }

double loss_under_a_fixed_seed(AttentionKind attention) {
  const std::shared_ptr<Gpt> model = seeded(small(attention, 0.5));
  torch::manual_seed(2);
  return model->loss({{tokens()}, tokens()}).item<double>();
}

TEST(Gpt, HasTheParametersOfItsLayers) {
  const std::shared_ptr<Gpt> model = seeded(small(AttentionKind::kWritten, 0));
  std::int64_t parameters = 0;
  for (const at::Tensor& parameter : model->parameters()) {
    parameters += parameter.numel();
  }
  // Embeddings 256*16 + 8*16; per block two norms 2*32, qkv 16*48+48, proj 16*16+16, fc 16*64+64,
  // out 64*16+16; last norm 32; head 16*256.
  EXPECT_EQ(parameters, 4096 + 128 + 2 * (64 + 816 + 272 + 1088 + 1040) + 32 + 4096);
}

TEST(Gpt, GivesTheSameScoresWithEachAttentionWithoutDropout) {
  const at::Tensor written = seeded(small(AttentionKind::kWritten, 0))->scores(tokens());
  EXPECT_TRUE(
      torch::allclose(seeded(small(AttentionKind::kSdpa, 0))->scores(tokens()), written, 0, 1e-5));
  EXPECT_TRUE(
      torch::allclose(seeded(small(AttentionKind::kFlash, 0))->scores(tokens()), written, 0, 1e-5));
}

TEST(Gpt, DropsScoresWithSdpaButNotWithFlash) {
  EXPECT_NE(loss_under_a_fixed_seed(AttentionKind::kSdpa),
            loss_under_a_fixed_seed(AttentionKind::kFlash));
}

TEST(Gpt, DoesNotLookAhead) {
  const std::shared_ptr<Gpt> model = seeded(small(AttentionKind::kWritten, 0));
  const at::Tensor changed = tokens();
  changed.select(1, 5).fill_(200);
  const at::Tensor before = model->scores(tokens()), after = model->scores(changed);
  EXPECT_TRUE(torch::allclose(after.slice(1, 0, 5), before.slice(1, 0, 5), 0, 1e-6));
  EXPECT_FALSE(torch::allclose(after.slice(1, 5, 6), before.slice(1, 5, 6), 0, 1e-3));
}

TEST(Gpt, TakesShorterSequencesThanItsContext) {
  const std::shared_ptr<Gpt> model = seeded(small(AttentionKind::kWritten, 0));
  EXPECT_EQ(model->scores(tokens().slice(1, 0, 3)).sizes(), (std::vector<std::int64_t>{2, 3, 256}));
}

TEST(Gpt, RejectsALongerSequenceThanItsContext) {
  const std::shared_ptr<Gpt> model = seeded(small(AttentionKind::kWritten, 0));
  const at::Tensor nine = torch::zeros({2, 9}, torch::kLong);
  EXPECT_EQ(message_of([&] {
              model->loss({{nine}, nine});
            }),
            "Gpt::loss: expected 1 to 8 tokens, got 9");
}

TEST(Gpt, RejectsATargetOfAnotherShape) {
  const std::shared_ptr<Gpt> model = seeded(small(AttentionKind::kWritten, 0));
  EXPECT_THROW(model->loss({{tokens()}, tokens().slice(1, 0, 7)}), std::invalid_argument);
}

TEST(Gpt, RejectsHeadsThatDoNotDivideItsWidth) {
  EXPECT_EQ(message_of([] { Gpt({.dim = 16, .heads = 3}); }),
            "TransformerBlock: dim must be a multiple of heads (3), got 16: 2 heads would do");
}

TEST(Gpt, RejectsADropoutOfOne) { EXPECT_THROW(Gpt({.dropout = 1.0}), std::invalid_argument); }

TEST(Gpt, RejectsSizesThatAreNotPositive) {
  EXPECT_THROW(Gpt({.layers = 0}), std::invalid_argument);
  EXPECT_THROW(Gpt({.context = 0}), std::invalid_argument);
}

// A model that always expects the byte after the last one.
class Counter final : public ByteModel {
 public:
  Counter() { register_parameter("unused", torch::zeros({1})); }
  at::Tensor loss(const Batch&) override { return {}; }
  std::int64_t blocks() const override { return 1; }
  std::string description() const override { return "counter"; }
  at::Tensor next_scores(const at::Tensor& tokens) override {
    saw_training_mode = saw_training_mode || is_training();
    at::Tensor scores = torch::zeros({256});
    scores[(tokens[-1].item<std::int64_t>() + 1) % 256] = 50.0;
    return scores;
  }
  bool saw_training_mode = false;
};

TEST(Generate, ContinuesThePrompt) {
  Counter model;
  EXPECT_EQ(generate(model, "xa", 4, /*temperature=*/0, /*seed=*/1), "bcde");
  EXPECT_EQ(generate(model, "xa", 4, /*temperature=*/1, /*seed=*/1), "bcde");
}

TEST(Generate, RunsInEvaluationModeAndPutsTheModeBack) {
  Counter model;
  generate(model, "a", 1, 0, 1);
  EXPECT_FALSE(model.saw_training_mode);
  EXPECT_TRUE(model.is_training());
}

TEST(Generate, IsAFunctionOfTheSeed) {
  const std::shared_ptr<Gpt> model = seeded(small(AttentionKind::kWritten, 0.1));
  const std::string text = generate(*model, "ab", 20, 1, 7);
  EXPECT_EQ(text.size(), 20U);
  EXPECT_EQ(generate(*model, "ab", 20, 1, 7), text);
  EXPECT_NE(generate(*model, "ab", 20, 1, 8), text);
}

TEST(Generate, LeavesTheDefaultGeneratorAlone) {
  const std::shared_ptr<Gpt> model = seeded(small(AttentionKind::kWritten, 0.1));
  torch::manual_seed(5);
  const at::Tensor expected = torch::rand({4});
  torch::manual_seed(5);
  generate(*model, "ab", 3, 1, 7);
  EXPECT_TRUE(bitwise_equal({torch::rand({4})}, {expected}));
}

TEST(Generate, RejectsWrongArguments) {
  Counter model;
  EXPECT_THROW(generate(model, "", 1, 1, 1), std::invalid_argument);
  EXPECT_THROW(generate(model, "a", -1, 1, 1), std::invalid_argument);
  EXPECT_EQ(message_of([&] { generate(model, "a", 1, -0.5, 1); }),
            "generate: temperature must not be negative, got -0.500000");
}

}  // namespace
}  // namespace reprise::zoo
