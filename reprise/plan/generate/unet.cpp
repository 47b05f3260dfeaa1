// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/generate/unet.h"

#include <algorithm>
#include <string>
#include <vector>

#include "reprise/plan/checks.h"
#include "reprise/plan/generate/layers.h"

namespace reprise::plan {
namespace {

constexpr const char* kPlace = "generate_unet";
constexpr std::int64_t kMostLevels = 16;
constexpr std::int64_t kWindow = 9;  // 3 x 3

// Convolutions of one stage, each with its norm.
int convolutions(StepBuilder& step, int stream, std::int64_t channels, std::int64_t filters,
                 std::int64_t pixels, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    stream = relu(
        step,
        batch_norm(step, convolution(step, stream, channels, filters, kWindow, pixels), filters));
    channels = filters;
  }
  return stream;
}

}  // namespace

Program generate_unet(const UnetSizes& sizes) {
  require_at_least(kPlace, "layers", sizes.layers, 1);
  require_at_least(kPlace, "levels", sizes.levels, 1);
  require_at_most(kPlace, "levels", sizes.levels, kMostLevels);
  require_at_least(kPlace, "channels", sizes.channels, 1);
  require_at_least(kPlace, "image_size", sizes.image_size, 1);
  require_at_least(kPlace, "batch", sizes.batch, 1);
  require_multiple(kPlace, "image_size", sizes.image_size, "2^levels",
                   std::int64_t{1} << sizes.levels);
  const std::int64_t deepest = std::int64_t{1} << sizes.levels;  // times as many channels
  require_countable(kPlace, {sizes.batch, sizes.image_size, sizes.image_size, sizes.channels, 4});
  require_countable(kPlace, {sizes.channels, deepest, sizes.channels, deepest, kWindow, 2});

  const std::int64_t stages = 2 * sizes.levels + 1;
  const auto count = [&](std::int64_t stage) {
    const std::int64_t here = (stage + 1) * sizes.layers / stages - stage * sizes.layers / stages;
    return std::max<std::int64_t>(1, here);
  };
  StepBuilder step("unet" + std::to_string(sizes.layers));
  std::vector<int> skips;
  int stream = step.external();
  std::int64_t channels = 3;
  std::int64_t filters = sizes.channels;
  std::int64_t side = sizes.image_size;
  for (std::int64_t level = 0; level < sizes.levels; ++level) {
    step.set_label("down." + std::to_string(level));
    stream = convolutions(step, stream, channels, filters, sizes.batch * side * side, count(level));
    skips.push_back(stream);
    stream = max_pool(step, stream);
    channels = filters;
    filters *= 2;
    side /= 2;
  }
  step.set_label("bottom");
  stream =
      convolutions(step, stream, channels, filters, sizes.batch * side * side, count(sizes.levels));
  for (std::int64_t level = sizes.levels - 1; level >= 0; --level) {
    step.set_label("up." + std::to_string(level));
    channels = filters + filters / 2;
    filters /= 2;
    side *= 2;
    stream = concatenate(step, upsample(step, stream), skips[static_cast<std::size_t>(level)]);
    stream = convolutions(step, stream, channels, filters, sizes.batch * side * side,
                          count(stages - 1 - level));
  }
  step.set_label("loss");
  return step.finish(loss(step, stream));
}

}  // namespace reprise::plan
