// SPDX-License-Identifier: Apache-2.0
// Data made on the spot, simple enough that a few steps of training show, and always called
// synthetic. Training and validation batches are drawn from the same distribution.
#pragma once

#include <functional>
#include <string>

#include "reprise/zoo/audio_data.h"
#include "reprise/zoo/data.h"
#include "reprise/zoo/text_data.h"

namespace reprise::zoo {

// A source that makes each batch with a function of the batch's own generator.
class SyntheticData final : public DataSource {
 public:
  struct Parts {
    std::string what;  // follows "synthetic " in the description
    std::string item;
    std::int64_t items_per_batch = 0;
    std::function<Batch(const at::Generator&)> make;
  };
  SyntheticData(Parts parts, std::uint64_t seed);

  Batch batch(Split split, std::int64_t index) const override;
  std::string item() const override { return parts_.item; }
  std::int64_t items_per_batch() const override { return parts_.items_per_batch; }
  std::string description() const override { return "synthetic " + parts_.what; }
  bool is_synthetic() const override { return true; }

 private:
  Parts parts_;
  std::uint64_t seed_;
};

struct SyntheticImageSizes {
  std::int64_t batch_size = 8;
  std::int64_t image_size = 32;  // pixels per side
  std::int64_t classes = 10;
  std::uint64_t seed = 1;
};

// Sequences of bytes that go up by a step of 1 to 4, each sequence by its own.
SyntheticData synthetic_text(const TextSizes& sizes);
// Tones of random pitch that swell and fade, with the target of loudness_batch().
SyntheticData synthetic_audio(const AudioDataSizes& sizes);
// For Cnn: stripes under noise; class c has c + 1 of them.
SyntheticData synthetic_stripes(const SyntheticImageSizes& sizes);
// For Unet: a rectangle under noise; its brightness tells its class in [1, classes), around it is
// 0.
SyntheticData synthetic_rectangles(const SyntheticImageSizes& sizes);

}  // namespace reprise::zoo
