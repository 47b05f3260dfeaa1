// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/lstm_lm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/memory.h"
#include "reprise/zoo/policy.h"
#include "temporary_folder.h"
#include "train_step.h"

namespace reprise::zoo {
namespace {

std::int64_t live_bytes_after_forward(const std::string& policy) {
  torch::manual_seed(1);
  LstmLm model({.embedding = 8, .hidden = 256, .context = 64});
  const at::Tensor tokens = torch::randint(256, {4, 64}, torch::kLong);
  const Batch batch{{tokens}, tokens};
  model.place_regions(place_policy(policy, model, batch));
  const MemoryMeter meter;
  const at::Tensor loss = model.loss(batch);
  return meter.live_bytes() - meter.start_bytes();
}

TEST(LstmLm, HasABlockPerTimeStep) { EXPECT_EQ(LstmLm({.context = 24}).blocks(), 24); }

TEST(LstmLm, GivesTheScoresOfTorchsOwnLstm) {
  torch::manual_seed(1);
  LstmLm model({.embedding = 8, .hidden = 16, .context = 5});
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(8, 16).batch_first(true));
  const auto ours = model.named_parameters();
  const auto theirs = lstm->named_parameters();
  const torch::NoGradGuard no_grad;
  theirs["weight_ih_l0"].copy_(ours["wx.weight"]);
  theirs["weight_hh_l0"].copy_(ours["wh.weight"]);
  theirs["bias_ih_l0"].copy_(ours["wx.bias"]);
  theirs["bias_hh_l0"].zero_();
  const at::Tensor tokens = torch::arange(5);

  const at::Tensor embedded = torch::embedding(ours["embedding.weight"], tokens.unsqueeze(0));
  const at::Tensor hidden = std::get<0>(lstm->forward(embedded))[0][4];
  const at::Tensor expected = torch::linear(hidden, ours["head.weight"], ours["head.bias"]);

  EXPECT_TRUE(torch::allclose(model.next_scores(tokens), expected, 1e-5, 1e-6));
}

TEST(LstmLm, KeepsLessOfEachStepWithRegionsAlongTime) {
  // In units of hidden states of all steps (64 x 4 x 256 floats), scores being one of them: plain
  // training keeps scores, states and more than 7 of gates and activations. Regions of 8 steps, the
  // last one plain, keep scores, states and an eighth of the rest.
  EXPECT_LT(2 * live_bytes_after_forward("every=8"), live_bytes_after_forward("none"));
}

TEST(LstmLm, RejectsASequenceOfAnotherLength) {
  LstmLm model({.context = 6});
  const at::Tensor five = torch::zeros({2, 5}, torch::kLong);
  EXPECT_EQ(message_of([&] {
              model.loss({{five}, five});
            }),
            "LstmLm::loss: expected 6 tokens, got 5");
}

TEST(LstmLm, ContinuesAPromptOfAnyLength) {
  LstmLm model({.embedding = 4, .hidden = 4, .context = 6});
  EXPECT_EQ(generate(model, "a longer prompt", 3, 1, 1).size(), 3U);
}

TEST(LstmLm, RejectsSizesThatAreNotPositive) {
  EXPECT_THROW(LstmLm({.hidden = 0}), std::invalid_argument);
  EXPECT_THROW(LstmLm({.embedding = -1}), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::zoo
