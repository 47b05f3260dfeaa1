// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/generate/chain.h"

#include <string>

#include "reprise/plan/checks.h"
#include "reprise/plan/generate/layers.h"

namespace reprise::plan {
namespace {

constexpr const char* kPlace = "generate_chain";

}  // namespace

Program generate_chain(const ChainSizes& sizes) {
  require_at_least(kPlace, "layers", sizes.layers, 1);
  require_at_least(kPlace, "width", sizes.width, 1);
  require_at_least(kPlace, "batch", sizes.batch, 1);
  require_countable(kPlace, {sizes.batch, sizes.width});
  require_countable(kPlace, {sizes.width, sizes.width});
  StepBuilder step("chain" + std::to_string(sizes.layers));
  int stream = step_input(step, sizes.batch * sizes.width);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    step.set_label("layers." + std::to_string(layer));
    stream = tanh(step, linear(step, stream, sizes.width, sizes.width));
  }
  step.set_label("loss");
  return step.finish(loss(step, stream));
}

}  // namespace reprise::plan
