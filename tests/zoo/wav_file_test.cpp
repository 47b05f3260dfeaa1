// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/wav_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/plan/format_error.h"
#include "reprise/zoo/audio_data.h"
#include "temporary_folder.h"
#include "wav_bytes.h"

namespace reprise::zoo {
namespace {

using testing::HasSubstr;

at::Tensor floats(const std::vector<float>& values) { return torch::tensor(values); }

class WavFile : public testing::Test {
 protected:
  TemporaryFolder folder;
};

using WavFolderOf = WavFile;

TEST_F(WavFile, ReadsSixteenBitPcm) {
  const std::string path = folder.file("a.wav", wav_pcm16({0, 16384, -32768, 8192}));
  EXPECT_EQ(wav_info(path).frames, 4);
  EXPECT_EQ(wav_info(path).channels, 1);
  EXPECT_EQ(wav_info(path).rate_hz, 16000);
  EXPECT_TRUE(torch::equal(read_wav(path, 0, 4), floats({0, 0.5, -1, 0.25})));
}

TEST_F(WavFile, ReadsFloats) {
  const std::string path = folder.file("a.wav", wav_float({0.125, -0.75}));
  EXPECT_TRUE(torch::equal(read_wav(path, 0, 2), floats({0.125, -0.75})));
}

TEST_F(WavFile, ReadsAPartAndSilenceBeyondTheEnd) {
  const std::string path = folder.file("a.wav", wav_float({0.1F, 0.2F, 0.3F}));
  EXPECT_TRUE(torch::equal(read_wav(path, 1, 1), floats({0.2F})));
  EXPECT_TRUE(torch::equal(read_wav(path, 2, 3), floats({0.3F, 0, 0})));
  EXPECT_TRUE(torch::equal(read_wav(path, 9, 2), floats({0, 0})));
}

TEST_F(WavFile, TakesTheMeanOfItsChannels) {
  const std::string path = folder.file("a.wav", wav_pcm16({16384, 0, 0, -16384}, 2));
  EXPECT_EQ(wav_info(path).frames, 2);
  EXPECT_TRUE(torch::equal(read_wav(path, 0, 2), floats({0.25, -0.25})));
}

TEST_F(WavFile, RefusesAForeignFile) {
  const std::string path = folder.file("a.wav", std::string("not a recording at all, just text"));
  EXPECT_THAT(message_of([&] { wav_info(path); }), HasSubstr(path + ": expected a WAV file, got "));
  EXPECT_THROW(wav_info(path), FormatError);
  EXPECT_THROW(wav_info(folder.path() + "/none.wav"), FormatError);
}

TEST_F(WavFile, RefusesOtherSamplesThanItSays) {
  const std::string path = folder.file("a.wav", wav_bytes(1, 1, 16000, 8, "1234"));
  EXPECT_THAT(message_of([&] { wav_info(path); }),
              HasSubstr("expected WAV with 16-bit PCM or 32-bit float samples, got "));
}

TEST_F(WavFile, RefusesATruncatedFile) {
  const std::string whole = wav_pcm16({1, 2, 3, 4});
  const std::string path = folder.file("a.wav", whole.substr(0, whole.size() - 3));
  EXPECT_EQ(message_of([&] { wav_info(path); }),
            path + ": offset 4: expected a file of 52 bytes, got 49");
  EXPECT_THROW(read_wav(path, 0, 2), FormatError);
}

std::vector<std::int16_t> constant(std::size_t frames, std::int16_t value) {
  return std::vector<std::int16_t>(frames, value);
}

TEST_F(WavFolderOf, TwoFilesTrainsOnTheFirstAndValidatesOnTheSecond) {
  folder.file("b.wav", wav_pcm16(constant(1000, -8192)));
  folder.file("a.WAV", wav_pcm16(constant(1000, 16384)));
  folder.file("notes.txt", std::string("no recording"));
  const WavFolder data(folder.path(), {.batch_size = 3, .samples = 640});
  const Batch train = data.batch(Split::kTrain, 0);
  EXPECT_EQ(train.inputs[0].sizes(), (std::vector<std::int64_t>{3, 1, 640}));
  EXPECT_EQ(train.inputs[0].max().item<float>(), 0.5F);
  EXPECT_EQ(data.batch(Split::kValidation, 0).inputs[0].min().item<float>(), -0.25F);
  // 20 log10(0.5) = -6.02 dB: class (96 - 6.02) / 3 = 29.99; a quarter: -12.04 dB: 27.98.
  EXPECT_TRUE(train.target.eq(29).all().item<bool>());
  EXPECT_TRUE(data.batch(Split::kValidation, 0).target.eq(27).all().item<bool>());
  EXPECT_EQ(data.description(), folder.path() +
                                    ": 1 WAV files to train on, 1 to validate on, 16000 Hz; "
                                    "target: loudness per frame");
}

TEST_F(WavFolderOf, FilesGivesABatchAsAFunctionOfSeedAndIndex) {
  std::vector<std::int16_t> ramp(5000);
  for (std::size_t i = 0; i < ramp.size(); ++i) {
    ramp[i] = static_cast<std::int16_t>(i);
  }
  folder.file("a.wav", wav_pcm16(ramp));
  folder.file("b.wav", wav_pcm16(ramp));
  const WavFolder data(folder.path(), {.batch_size = 3, .samples = 640, .seed = 1});
  const WavFolder again(folder.path(), {.batch_size = 3, .samples = 640, .seed = 1});
  const WavFolder other(folder.path(), {.batch_size = 3, .samples = 640, .seed = 2});
  const at::Tensor input = data.batch(Split::kTrain, 2).inputs[0];
  EXPECT_TRUE(torch::equal(again.batch(Split::kTrain, 2).inputs[0], input));
  EXPECT_FALSE(torch::equal(other.batch(Split::kTrain, 2).inputs[0], input));
  EXPECT_FALSE(torch::equal(data.batch(Split::kTrain, 3).inputs[0], input));
}

TEST_F(WavFolderOf, ShortFilesFillsUpWithSilence) {
  folder.file("a.wav", wav_pcm16(constant(10, 16384)));
  folder.file("b.wav", wav_pcm16(constant(10, 16384)));
  const WavFolder data(folder.path(), {.batch_size = 1, .samples = 640});
  EXPECT_EQ(data.batch(Split::kTrain, 0).inputs[0].slice(2, 10).abs().max().item<float>(), 0.0F);
}

TEST_F(WavFolderOf, OneFileIsTooFew) {
  folder.file("a.wav", wav_pcm16({1}));
  EXPECT_EQ(
      message_of([&] { WavFolder(folder.path(), {}); }),
      folder.path() + ": expected at least two WAV files, to train on and to validate on, got 1");
  EXPECT_THROW(WavFolder(folder.path() + "/none", {}), FormatError);
}

TEST_F(WavFolderOf, DifferentRatesIsRefused) {
  folder.file("a.wav", wav_pcm16({1}));
  const std::string path = folder.file("b.wav", wav_pcm16({1}, 1, 8000));
  EXPECT_EQ(message_of([&] { WavFolder(folder.path(), {}); }),
            path + ": expected 16000 samples per second as in the first file, got 8000");
}

TEST_F(WavFolderOf, AnEmptyFileIsRefused) {
  folder.file("a.wav", wav_pcm16({}));
  folder.file("b.wav", wav_pcm16({1}));
  EXPECT_THROW(WavFolder(folder.path(), {}), FormatError);
}

}  // namespace
}  // namespace reprise::zoo
