// SPDX-License-Identifier: Apache-2.0
// WAV files made byte by byte.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::zoo {

inline void append_little_endian(std::string& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
}

// `tag`: 1 for PCM, 3 for float.
inline std::string wav_bytes(std::uint32_t tag, std::uint32_t channels, std::uint32_t rate_hz,
                             std::uint32_t bits, const std::string& samples) {
  std::string bytes = "RIFF";
  append_little_endian(bytes, static_cast<std::uint32_t>(36 + samples.size()), 4);
  bytes += "WAVEfmt ";
  append_little_endian(bytes, 16, 4);
  append_little_endian(bytes, tag, 2);
  append_little_endian(bytes, channels, 2);
  append_little_endian(bytes, rate_hz, 4);
  append_little_endian(bytes, rate_hz * channels * bits / 8, 4);
  append_little_endian(bytes, channels * bits / 8, 2);
  append_little_endian(bytes, bits, 2);
  bytes += "data";
  append_little_endian(bytes, static_cast<std::uint32_t>(samples.size()), 4);
  return bytes + samples;
}

inline std::string wav_pcm16(const std::vector<std::int16_t>& samples, std::uint32_t channels = 1,
                             std::uint32_t rate_hz = 16000) {
  std::string bytes;
  for (const std::int16_t sample : samples) {
    append_little_endian(bytes, static_cast<std::uint16_t>(sample), 2);
  }
  return wav_bytes(1, channels, rate_hz, 16, bytes);
}

inline std::string wav_float(const std::vector<float>& samples) {
  std::string bytes;
  for (const float sample : samples) {
    append_little_endian(bytes, std::bit_cast<std::uint32_t>(sample), 4);
  }
  return wav_bytes(3, 1, 16000, 32, bytes);
}

}  // namespace reprise::zoo
