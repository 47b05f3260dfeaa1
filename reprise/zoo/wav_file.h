// SPDX-License-Identifier: Apache-2.0
// WAV files, read by libsndfile: 16-bit PCM or 32-bit float. A build without libsndfile has these
// functions too; they throw std::runtime_error that says what to install.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

namespace reprise::zoo {

struct WavInfo {
  std::int64_t frames = 0;  // samples per channel
  std::int64_t channels = 0;
  std::int64_t rate_hz = 0;
};

// Throws FormatError if the file cannot be read, is no WAV file of those formats, or is truncated.
WavInfo wav_info(const std::string& path);

// Samples [first, first + count) as float32 in [-1, 1], the mean of the channels; silence beyond
// the end of the file. Throws FormatError as wav_info() does. REQUIRES: first >= 0, count >= 0.
at::Tensor read_wav(const std::string& path, std::int64_t first, std::int64_t count);

}  // namespace reprise::zoo
