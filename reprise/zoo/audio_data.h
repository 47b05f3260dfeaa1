// SPDX-License-Identifier: Apache-2.0
// Recordings and a task that needs no labels: hear the loudness of every frame, also of those that
// were silenced in the input and must be guessed from their surroundings.
#pragma once

#include <string>
#include <vector>

#include "reprise/zoo/data.h"

namespace reprise::zoo {

struct AudioDataSizes {
  std::int64_t batch_size = 8;
  std::int64_t samples = 16000;  // per recording in a batch; at least kAudioWindow
  std::uint64_t seed = 1;
};

// Loudness of each frame of kAudioHop samples as a class of 3 dB in [0, 32): the mean square of the
// frame, in dB of full scale, from class 0 (-93 dB and below) to class 31 (-3 dB and above).
// samples: [B, N] -> [B, N / kAudioHop] of int64. A frame that N cuts short has no class.
at::Tensor loudness_classes(const at::Tensor& samples);

// The batch of AudioEncoder for recordings [B, N]: an eighth of each is silenced, at a place that
// `generator` draws; the target is the loudness of the recordings as they were.
Batch loudness_batch(const at::Tensor& recordings, const at::Generator& generator);

// The WAV files of a folder (not of folders in it), by name: the last tenth, at least one, is for
// validation. A batch takes `samples` samples at a random place of random files, followed by
// silence where a file is shorter.
class WavFolder final : public DataSource {
 public:
  // Throws FormatError if the folder cannot be read, has fewer than two WAV files, or a file is
  // damaged, empty or of another sample rate than the first.
  WavFolder(std::string folder, const AudioDataSizes& sizes);

  Batch batch(Split split, std::int64_t index) const override;
  std::string item() const override { return "samples"; }
  std::int64_t items_per_batch() const override { return sizes_.batch_size * sizes_.samples; }
  std::string description() const override;
  bool is_synthetic() const override { return false; }

 private:
  struct File {
    std::string path;
    std::int64_t frames = 0;
  };

  std::string folder_;
  AudioDataSizes sizes_;
  std::int64_t rate_hz_ = 0;
  std::vector<File> train_, validation_;
};

}  // namespace reprise::zoo
