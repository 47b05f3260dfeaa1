// SPDX-License-Identifier: Apache-2.0
// The recorded programs of tests/data/programs.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "reprise/plan/generate/repeat_layer.h"
#include "reprise/plan/program.h"
#include "reprise/plan/serialize.h"

namespace reprise::plan {

// The bytes of tests/data/NAME.json.
inline std::string data_json(const std::string& name) {
  const std::string path = std::string(REPRISE_SOURCE_DIR) + "/tests/data/" + name + ".json";
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error(path + ": cannot be read");
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// "gpt6", "resnet50", "unet", "lstm300", "gpt24", or one of other_kinds().
inline Program recorded_program(const std::string& name) {
  return read_program(data_json("programs/" + name), name);
}

// The steps of tests/data/programs/other, which nothing was tuned on.
inline std::vector<std::string> other_kinds() {
  return {"other/densenet",        "other/gru_attention", "other/encoder_decoder",
          "other/feature_pyramid", "other/audio_encoder", "other/state_space"};
}

// gpt24 with its thirteenth layer repeated until there are `layers`: 5,000 ops at 150, 50,000 at
// 1500.
inline Program deep_gpt(std::int64_t layers) {
  return repeat_layer(recorded_program("gpt24"),
                      {.layers = 24, .ops = 33, .values = 37, .recipes = 23, .uses = 13},
                      {.first = 2, .layer = 12, .last = 2, .layers = layers});
}

}  // namespace reprise::plan
