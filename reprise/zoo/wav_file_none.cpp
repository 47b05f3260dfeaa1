// SPDX-License-Identifier: Apache-2.0
// Built where there is no libsndfile.
#include <stdexcept>

#include "reprise/zoo/wav_file.h"

namespace reprise::zoo {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw std::runtime_error(path +
                           ": expected a build that reads WAV files, got one without libsndfile; "
                           "install it (Debian: libsndfile1-dev, pkg-config) and build again");
}

}  // namespace

WavInfo wav_info(const std::string& path) { refuse(path); }

at::Tensor read_wav(const std::string& path, std::int64_t /*first*/, std::int64_t /*count*/) {
  refuse(path);
}

}  // namespace reprise::zoo
