// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/audio_data.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <ATen/ops/randint.h>
#include <ATen/ops/stack.h>

#include "reprise/plan/format_error.h"
#include "reprise/zoo/audio_encoder.h"
#include "reprise/zoo/folder_files.h"
#include "reprise/zoo/wav_file.h"

namespace reprise::zoo {
namespace {

constexpr double kClassDb = 3;
constexpr double kFloorDb = -96;
constexpr std::int64_t kClasses = 32;
constexpr double kSilence = 1e-12;  // keeps the logarithm finite, far below the first class

bool is_wav(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".wav";
}

std::vector<std::string> wav_paths(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::filesystem::path& path : folder_files(folder, Subfolders::kLeftOut)) {
    if (is_wav(path)) {
      paths.push_back(path.string());
    }
  }
  if (paths.size() < 2) {
    throw FormatError::mismatch(folder, "at least two WAV files, to train on and to validate on",
                                std::to_string(paths.size()));
  }
  return paths;
}

std::int64_t draw(std::int64_t below, const at::Generator& generator) {
  return at::randint(below, {1}, generator, at::kLong).item<std::int64_t>();
}

}  // namespace

at::Tensor loudness_classes(const at::Tensor& samples) {
  const std::int64_t frames = samples.size(1) / kAudioHop;
  const at::Tensor power = samples.slice(1, 0, frames * kAudioHop)
                               .reshape({samples.size(0), frames, kAudioHop})
                               .square()
                               .mean(2);
  const at::Tensor db = (power + kSilence).log10() * 10;
  return ((db - kFloorDb) / kClassDb).floor().clamp(0, kClasses - 1).to(at::kLong);
}

Batch loudness_batch(const at::Tensor& recordings, const at::Generator& generator) {
  const std::int64_t length = recordings.size(1);
  const std::int64_t silent = length / 8;
  const at::Tensor input = recordings.clone();
  for (std::int64_t i = 0; i < recordings.size(0); ++i) {
    const std::int64_t start = draw(length - silent + 1, generator);
    input[i].slice(0, start, start + silent).zero_();
  }
  return {{input.unsqueeze(1)}, loudness_classes(recordings)};
}

WavFolder::WavFolder(std::string folder, const AudioDataSizes& sizes)
    : folder_(std::move(folder)), sizes_(sizes) {
  const std::vector<std::string> paths = wav_paths(folder_);
  for (const std::string& path : paths) {
    const WavInfo info = wav_info(path);
    rate_hz_ = train_.empty() ? info.rate_hz : rate_hz_;
    if (info.rate_hz != rate_hz_) {
      throw FormatError::mismatch(
          path, std::to_string(rate_hz_) + " samples per second as in the first file",
          std::to_string(info.rate_hz));
    }
    if (info.frames < 1) {
      throw FormatError::mismatch(path, "samples", "none");
    }
    train_.push_back({path, info.frames});
  }
  const auto boundary =
      train_.end() - static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, train_.size() / 10));
  validation_.assign(boundary, train_.end());
  train_.erase(boundary, train_.end());
}

Batch WavFolder::batch(Split split, std::int64_t index) const {
  const std::vector<File>& files = split == Split::kTrain ? train_ : validation_;
  const at::Generator generator = batch_generator(sizes_.seed, split, index);
  std::vector<at::Tensor> recordings;
  for (std::int64_t i = 0; i < sizes_.batch_size; ++i) {
    const File& file =
        files[static_cast<std::size_t>(draw(static_cast<std::int64_t>(files.size()), generator))];
    const std::int64_t starts = std::max<std::int64_t>(1, file.frames - sizes_.samples + 1);
    recordings.push_back(read_wav(file.path, draw(starts, generator), sizes_.samples));
  }
  return loudness_batch(at::stack(recordings), generator);
}

std::string WavFolder::description() const {
  return folder_ + ": " + std::to_string(train_.size()) + " WAV files to train on, " +
         std::to_string(validation_.size()) + " to validate on, " + std::to_string(rate_hz_) +
         " Hz; target: loudness per frame";
}

}  // namespace reprise::zoo
