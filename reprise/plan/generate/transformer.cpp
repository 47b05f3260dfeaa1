// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/generate/transformer.h"

#include <string>

#include "reprise/plan/checks.h"
#include "reprise/plan/generate/layers.h"

namespace reprise::plan {
namespace {

constexpr const char* kPlace = "generate_transformer";

int maybe_dropout(StepBuilder& step, const TransformerSizes& sizes, int input) {
  return sizes.has_dropout ? dropout(step, input) : input;
}

int attention(StepBuilder& step, const TransformerSizes& sizes, int input) {
  const std::int64_t tokens = sizes.batch * sizes.context;
  const std::int64_t bytes = step.bytes(input);
  const std::int64_t scores_bytes = sizes.heads * tokens * sizes.context * kElementBytes;
  const double flops = 2 * static_cast<double>(tokens) * static_cast<double>(sizes.context) *
                       static_cast<double>(sizes.width);
  const int all = linear(step, layer_norm(step, input, tokens), sizes.width, 3 * sizes.width);
  const int queries = clone(step, all, bytes);
  const int keys = clone(step, all, bytes);
  const int scores = scale(step, batched_product(step, queries, keys, scores_bytes, flops));
  const int attention = maybe_dropout(step, sizes, softmax(step, scores));
  const int values = clone(step, all, bytes);
  const int mixed = clone(step, batched_product(step, attention, values, bytes, flops), bytes);
  return maybe_dropout(step, sizes, linear(step, mixed, sizes.width, sizes.width));
}

int feed_forward(StepBuilder& step, const TransformerSizes& sizes, int input) {
  const std::int64_t tokens = sizes.batch * sizes.context;
  const int wide = linear(step, layer_norm(step, input, tokens), sizes.width, 4 * sizes.width);
  return maybe_dropout(step, sizes, linear(step, gelu(step, wide), 4 * sizes.width, sizes.width));
}

}  // namespace

Program generate_transformer(const TransformerSizes& sizes) {
  require_at_least(kPlace, "layers", sizes.layers, 1);
  require_at_least(kPlace, "width", sizes.width, 1);
  require_at_least(kPlace, "heads", sizes.heads, 1);
  require_at_least(kPlace, "context", sizes.context, 1);
  require_at_least(kPlace, "batch", sizes.batch, 1);
  require_multiple_of_heads(kPlace, "width", sizes.width, sizes.heads);
  require_countable(kPlace, {sizes.batch, sizes.context, sizes.width, 4});
  require_countable(kPlace, {sizes.batch, sizes.context, sizes.context, sizes.heads});
  require_countable(kPlace, {sizes.width, sizes.width, 4});
  const std::int64_t tokens = sizes.batch * sizes.context;

  StepBuilder step("transformer" + std::to_string(sizes.layers));
  int stream = linear(step, step_input(step, tokens * sizes.width), sizes.width, sizes.width);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string block = "blocks." + std::to_string(layer);
    step.set_label(block + ".attention");
    stream = add(step, stream, attention(step, sizes, stream));
    step.set_label(block + ".feed_forward");
    stream = add(step, stream, feed_forward(step, sizes, stream));
  }
  step.set_label("loss");
  return step.finish(loss(step, layer_norm(step, stream, tokens)));
}

}  // namespace reprise::plan
