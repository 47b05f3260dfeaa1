// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/estimate_presets.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace reprise::cli {
namespace {

struct Preset {
  const char* name;
  std::int64_t layers;
  std::int64_t dim;
  std::int64_t heads;
  std::int64_t vocabulary;
  std::int64_t context;
  std::int64_t batch;
  std::int64_t tensor_parallel;
  std::int64_t pipeline_parallel;
  std::int64_t interleave;
};

// gpt-22b to gpt-1t: the configurations of Korthikanti et al. 2022 (arXiv 2205.05198, table 3).
// gpt2-*: Radford et al. 2019, on one device.
constexpr std::array<Preset, 6> kPresets = {{
    {"gpt2-small", 12, 768, 12, 50257, 1024, 8, 1, 1, 1},
    {"gpt2-xl", 48, 1600, 25, 50257, 1024, 8, 1, 1, 1},
    {"gpt-22b", 48, 6144, 64, 51200, 2048, 4, 8, 1, 1},
    {"gpt3-175b", 96, 12288, 96, 51200, 2048, 1, 8, 8, 3},
    {"mt-nlg-530b", 105, 20480, 128, 51200, 2048, 1, 8, 35, 3},
    {"gpt-1t", 128, 25600, 160, 51200, 2048, 1, 8, 64, 2},
}};

}  // namespace

std::vector<std::string> estimate_preset_names() {
  std::vector<std::string> names;
  names.reserve(kPresets.size());
  for (const Preset& preset : kPresets) {
    names.emplace_back(preset.name);
  }
  return names;
}

std::map<std::string, std::string> estimate_preset(const std::string& name) {
  const Preset& preset = *std::find_if(kPresets.begin(), kPresets.end(),
                                       [&](const Preset& known) { return known.name == name; });
  return {{"layers", std::to_string(preset.layers)},
          {"dim", std::to_string(preset.dim)},
          {"heads", std::to_string(preset.heads)},
          {"vocabulary", std::to_string(preset.vocabulary)},
          {"context", std::to_string(preset.context)},
          {"batch", std::to_string(preset.batch)},
          {"tensor-parallel", std::to_string(preset.tensor_parallel)},
          {"pipeline-parallel", std::to_string(preset.pipeline_parallel)},
          {"interleave", std::to_string(preset.interleave)}};
}

}  // namespace reprise::cli
