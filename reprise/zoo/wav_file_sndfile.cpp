// SPDX-License-Identifier: Apache-2.0
// Built where libsndfile was found.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <sndfile.h>

#include "reprise/plan/format_error.h"
#include "reprise/zoo/wav_file.h"

namespace reprise::zoo {
namespace {

constexpr std::int64_t kUnknown = 0xFFFFFFFF;  // for a size that the writer could not know

struct Closer {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using File = std::unique_ptr<SNDFILE, Closer>;

std::string hexadecimal(int value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%x", static_cast<unsigned>(value));
  return text.data();
}

// libsndfile reads what is there of a truncated file without a word, so the size that the RIFF
// header gives is compared with the file's. Writers to a pipe leave 0 or all ones there.
void check_riff_size(const std::string& path) {
  std::array<unsigned char, 8> header{};
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(header.data()), header.size());
  const std::int64_t riff_bytes = std::int64_t{header[4]} | std::int64_t{header[5]} << 8U |
                                  std::int64_t{header[6]} << 16U | std::int64_t{header[7]} << 24U;
  std::error_code error;
  const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  if (riff_bytes != 0 && riff_bytes != kUnknown && riff_bytes + 8 > file_bytes) {
    throw FormatError::mismatch(place_at_offset(path, 4),
                                "a file of " + std::to_string(riff_bytes + 8) + " bytes",
                                std::to_string(file_bytes));
  }
}

File open(const std::string& path, SF_INFO& info) {
  File file(sf_open(path.c_str(), SFM_READ, &info));
  if (!file) {
    throw FormatError::mismatch(path, "a WAV file", sf_strerror(nullptr));
  }
  const int type = info.format & SF_FORMAT_TYPEMASK;
  const int coding = info.format & SF_FORMAT_SUBMASK;
  if ((type != SF_FORMAT_WAV && type != SF_FORMAT_WAVEX) ||
      (coding != SF_FORMAT_PCM_16 && coding != SF_FORMAT_FLOAT)) {
    throw FormatError::mismatch(path, "WAV with 16-bit PCM or 32-bit float samples",
                                "libsndfile format " + hexadecimal(info.format));
  }
  check_riff_size(path);
  return file;
}

}  // namespace

WavInfo wav_info(const std::string& path) {
  SF_INFO info{};
  const File file = open(path, info);
  return {.frames = info.frames, .channels = info.channels, .rate_hz = info.samplerate};
}

at::Tensor read_wav(const std::string& path, std::int64_t first, std::int64_t count) {
  SF_INFO info{};
  const File file = open(path, info);
  at::Tensor samples = at::zeros({count});
  const std::int64_t there = std::clamp<std::int64_t>(info.frames - first, 0, count);
  if (there == 0) {
    return samples;
  }
  const at::Tensor frames = at::empty({there, info.channels});
  const bool is_read = sf_seek(file.get(), first, SEEK_SET) == first &&
                       sf_readf_float(file.get(), frames.mutable_data_ptr<float>(), there) == there;
  if (!is_read) {
    throw FormatError::mismatch(
        path, std::to_string(there) + " samples from sample " + std::to_string(first),
        sf_strerror(file.get()));
  }
  samples.slice(0, 0, there).copy_(frames.mean(1));
  return samples;
}

}  // namespace reprise::zoo
