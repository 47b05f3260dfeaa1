// SPDX-License-Identifier: Apache-2.0
// The models against the same models in Python: torch.nn layers of these names, made in this order
// after torch.manual_seed(0), give the same parameters; after torch.manual_seed(5) the same
// dropout. The losses were printed by Python's torch 2.13.0 on a CPU.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/zoo/audio_encoder.h"
#include "reprise/zoo/cnn.h"
#include "reprise/zoo/gpt.h"
#include "reprise/zoo/unet.h"

namespace reprise::zoo {
namespace {

template <class M, class Sizes>
double seeded_loss(const Sizes& sizes, const Batch& batch) {
  torch::manual_seed(0);
  M model(sizes);
  torch::manual_seed(5);
  return model.loss(batch).template item<double>();
}

double gpt_loss(AttentionKind attention) {
  const at::Tensor tokens = torch::arange(32).view({2, 16});
  return seeded_loss<Gpt>(GptSizes{.layers = 2,
                                   .dim = 32,
                                   .heads = 2,
                                   .context = 16,
                                   .dropout = 0.1,
                                   .attention = attention},
                          {{tokens}, tokens});
}

at::Tensor ramp(std::int64_t size) {
  return torch::linspace(-1, 1, 2 * 3 * size * size).view({2, 3, size, size});
}

TEST(PythonTwin, OfGptHasItsLossWithEachAttention) {
  EXPECT_NEAR(gpt_loss(AttentionKind::kWritten), 5.683633, 1e-4);
  EXPECT_NEAR(gpt_loss(AttentionKind::kSdpa), 5.683633, 1e-4);
  EXPECT_NEAR(gpt_loss(AttentionKind::kFlash), 5.682212, 1e-4);
}

TEST(PythonTwin, OfCnnHasItsLoss) {
  const CnnSizes sizes{.depths = {2, 1, 1, 1}, .width = 64, .classes = 10};
  EXPECT_NEAR(seeded_loss<Cnn>(sizes, {{ramp(64)}, torch::arange(2)}), 2.174517, 1e-4);
}

TEST(PythonTwin, OfUnetHasItsLoss) {
  const UnetSizes sizes{.base = 8, .levels = 2, .classes = 4};
  const at::Tensor target = torch::arange(512).view({2, 16, 16}).remainder(4);
  EXPECT_NEAR(seeded_loss<Unet>(sizes, {{ramp(16)}, target}), 1.401703, 1e-4);
}

TEST(PythonTwin, OfAudioEncoderHasItsLoss) {
  const AudioSizes sizes{
      .channels = 16, .layers = 2, .dim = 32, .heads = 2, .classes = 32, .dropout = 0.1};
  const at::Tensor samples = torch::linspace(-1, 1, 8000).view({2, 1, 4000}).sin();
  const at::Tensor target = torch::arange(24).view({2, 12});
  EXPECT_NEAR(seeded_loss<AudioEncoder>(sizes, {{samples}, target}), 3.669261, 1e-4);
}

}  // namespace
}  // namespace reprise::zoo
