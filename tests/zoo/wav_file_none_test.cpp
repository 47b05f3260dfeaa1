// SPDX-License-Identifier: Apache-2.0
// Built instead of wav_file_test.cpp where there is no libsndfile.
#include <gmock/gmock.h>

#include "reprise/zoo/wav_file.h"
#include "temporary_folder.h"

namespace reprise::zoo {
namespace {

using testing::HasSubstr;

TEST(WavFileWithoutLibsndfile, SaysWhatIsMissing) {
  EXPECT_THAT(message_of([] { wav_info("a.wav"); }), HasSubstr("libsndfile1-dev"));
}

}  // namespace
}  // namespace reprise::zoo
