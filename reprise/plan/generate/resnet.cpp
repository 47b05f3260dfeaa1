// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/generate/resnet.h"

#include <algorithm>
#include <string>

#include "reprise/plan/checks.h"
#include "reprise/plan/generate/layers.h"

namespace reprise::plan {
namespace {

constexpr const char* kPlace = "generate_resnet";
constexpr std::int64_t kStages = 4;
constexpr std::int64_t kWindow = 9;  // 3 x 3

int convolution_norm(StepBuilder& step, int input, std::int64_t channels, std::int64_t filters,
                     std::int64_t window, std::int64_t pixels) {
  return batch_norm(step, convolution(step, input, channels, filters, window, pixels), filters);
}

}  // namespace

Program generate_resnet(const ResnetSizes& sizes) {
  require_at_least(kPlace, "layers", sizes.layers, 1);
  require_at_least(kPlace, "channels", sizes.channels, 1);
  require_at_least(kPlace, "image_size", sizes.image_size, 1);
  require_at_least(kPlace, "batch", sizes.batch, 1);
  // The last stage has eight times as many channels.
  require_countable(kPlace, {sizes.batch, sizes.image_size, sizes.image_size, sizes.channels, 8});
  require_countable(kPlace, {sizes.channels, 8, sizes.channels, 8, kWindow});

  StepBuilder step("resnet" + std::to_string(sizes.layers));
  std::int64_t channels = sizes.channels;
  std::int64_t side = sizes.image_size;
  step.set_label("stem");
  int stream = relu(step, convolution_norm(step, step.external(), 3, channels, kWindow,
                                           sizes.batch * side * side));
  std::int64_t stage = 0;
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    step.set_label("blocks." + std::to_string(layer));
    int shortcut = stream;
    std::int64_t filters = channels;
    if (layer * kStages / sizes.layers > stage) {
      ++stage;
      filters = 2 * channels;
      side = std::max<std::int64_t>(1, side / 2);
      shortcut = convolution_norm(step, stream, channels, filters, 1, sizes.batch * side * side);
    }
    const std::int64_t pixels = sizes.batch * side * side;
    const int inner =
        relu(step, convolution_norm(step, stream, channels, filters, kWindow, pixels));
    const int outer = convolution_norm(step, inner, filters, filters, kWindow, pixels);
    stream = relu(step, add(step, outer, shortcut));
    channels = filters;
  }
  step.set_label("loss");
  return step.finish(loss(step, stream));
}

}  // namespace reprise::plan
