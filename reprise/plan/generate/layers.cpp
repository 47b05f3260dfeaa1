// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/generate/layers.h"

#include <algorithm>

namespace reprise::plan {
namespace {

double product_flops(double a, double b, double c) { return 2 * a * b * c; }

double real(std::int64_t number) { return static_cast<double>(number); }

// An op of one input and one result that is done element by element.
int elementwise(StepBuilder& step, const char* name, int input) {
  const std::int64_t bytes = step.bytes(input);
  return step
      .run({.name = name,
            .inputs = {input},
            .output_bytes = {bytes},
            .cost_us = moving_us(2 * bytes)})
      .front();
}

int normalize(StepBuilder& step, const char* op, const char* node, int input, std::int64_t groups,
              std::int64_t parameters) {
  const std::int64_t bytes = step.bytes(input);
  const std::int64_t statistics_bytes = groups * kElementBytes;
  const auto made = step.run({.name = op,
                              .inputs = {input},
                              .output_bytes = {bytes, statistics_bytes, statistics_bytes},
                              .cost_us = moving_us(3 * bytes)});
  step.node({.name = node,
             .output = made[0],
             .inputs = {input},
             .saved = {input, made[1], made[2]},
             .cost_us = moving_us(5 * bytes),
             .parameter_bytes = 2 * parameters * kElementBytes});
  return made[0];
}

}  // namespace

int step_input(StepBuilder& step, std::int64_t elements) {
  const std::int64_t bytes = elements * kElementBytes;
  return step
      .run({.name = "embedding",
            .inputs = {step.external()},
            .output_bytes = {bytes},
            .cost_us = moving_us(2 * bytes)})
      .front();
}

int linear(StepBuilder& step, int input, std::int64_t rows, std::int64_t columns) {
  const std::int64_t items = step.bytes(input) / (rows * kElementBytes);
  const std::int64_t bytes = items * columns * kElementBytes;
  const double us = multiplying_us(product_flops(real(items), real(rows), real(columns)));
  const int product =
      step.run({.name = "mm", .inputs = {input}, .output_bytes = {bytes}, .cost_us = us}).front();
  const int result = step.overwrite(product, "add_", {}, moving_us(2 * bytes));
  step.node({.name = "MmBackward0",
             .output = result,
             .inputs = {input},
             .saved = {input},
             .cost_us = 2 * us,
             .parameter_bytes = (rows + 1) * columns * kElementBytes});
  return result;
}

int layer_norm(StepBuilder& step, int input, std::int64_t groups) {
  return normalize(step, "native_layer_norm", "NativeLayerNormBackward0", input, groups,
                   step.bytes(input) / (std::max<std::int64_t>(groups, 1) * kElementBytes));
}

int batch_norm(StepBuilder& step, int input, std::int64_t channels) {
  return normalize(step, "native_batch_norm", "NativeBatchNormBackward0", input, channels,
                   channels);
}

int gelu(StepBuilder& step, int input) {
  const int result = elementwise(step, "gelu", input);
  step.node({.name = "GeluBackward0",
             .output = result,
             .inputs = {input},
             .saved = {input},
             .cost_us = moving_us(3 * step.bytes(input))});
  return result;
}

int relu(StepBuilder& step, int input) {
  const std::int64_t bytes = step.bytes(input);
  const int result = step.overwrite(input, "relu_", {}, moving_us(2 * bytes));
  step.node({.name = "ReluBackward0",
             .output = result,
             .inputs = {input},
             .saved = {result},
             .cost_us = moving_us(3 * bytes)});
  return result;
}

int tanh(StepBuilder& step, int input) {
  const int result = elementwise(step, "tanh", input);
  step.node({.name = "TanhBackward0",
             .output = result,
             .inputs = {input},
             .saved = {result},
             .cost_us = moving_us(3 * step.bytes(input))});
  return result;
}

int softmax(StepBuilder& step, int input) {
  const int result = elementwise(step, "_softmax", input);
  step.node({.name = "SoftmaxBackward0",
             .output = result,
             .inputs = {input},
             .saved = {result},
             .cost_us = moving_us(4 * step.bytes(input))});
  return result;
}

int dropout(StepBuilder& step, int input) {
  const std::int64_t bytes = step.bytes(input);
  const int mask = step.run({.name = "bernoulli_",
                             .output_bytes = {bytes},
                             .cost_us = moving_us(8 * bytes),
                             .random = true})
                       .front();
  const int result = step.run({.name = "mul",
                               .inputs = {input, mask},
                               .output_bytes = {bytes},
                               .cost_us = moving_us(3 * bytes)})
                         .front();
  step.node({.name = "MulBackward0",
             .output = result,
             .inputs = {input},
             .saved = {mask},
             .cost_us = moving_us(3 * bytes)});
  return result;
}

int clone(StepBuilder& step, int input, std::int64_t share_bytes) {
  const int result = step.run({.name = "clone",
                               .inputs = {input},
                               .output_bytes = {share_bytes},
                               .cost_us = moving_us(2 * share_bytes)})
                         .front();
  step.node({.name = "CloneBackward0",
             .output = result,
             .inputs = {input},
             .cost_us = moving_us(2 * share_bytes)});
  return result;
}

int batched_product(StepBuilder& step, int left, int right, std::int64_t output_bytes,
                    double flops) {
  const int result = step.run({.name = "bmm",
                               .inputs = {left, right},
                               .output_bytes = {output_bytes},
                               .cost_us = multiplying_us(flops)})
                         .front();
  step.node({.name = "BmmBackward0",
             .output = result,
             .inputs = {left, right},
             .saved = {left, right},
             .cost_us = 2 * multiplying_us(flops)});
  return result;
}

int scale(StepBuilder& step, int input) {
  const int result = elementwise(step, "mul", input);
  step.node({.name = "MulBackward0",
             .output = result,
             .inputs = {input},
             .cost_us = moving_us(2 * step.bytes(input))});
  return result;
}

int add(StepBuilder& step, int left, int right) {
  const std::int64_t bytes = step.bytes(left);
  const int result = step.run({.name = "add",
                               .inputs = {left, right},
                               .output_bytes = {bytes},
                               .cost_us = moving_us(3 * bytes)})
                         .front();
  step.node({.name = "AddBackward0", .output = result, .inputs = {left, right}, .passes_on = true});
  return result;
}

int convolution(StepBuilder& step, int input, std::int64_t channels, std::int64_t filters,
                std::int64_t window, std::int64_t pixels) {
  const double us =
      multiplying_us(product_flops(real(pixels), real(channels * window), real(filters)));
  const std::int64_t bytes = pixels * filters * kElementBytes;
  const std::int64_t weight_bytes = channels * filters * window * kElementBytes;
  const int result = step.run({.name = "convolution",
                               .inputs = {input},
                               .output_bytes = {bytes},
                               .cost_us = us,
                               .scratch_bytes = weight_bytes})
                         .front();
  step.node({.name = "ConvolutionBackward0",
             .output = result,
             .inputs = {input},
             .saved = {input},
             .cost_us = 2 * us,
             .parameter_bytes = weight_bytes,
             .scratch_bytes = weight_bytes});
  return result;
}

int max_pool(StepBuilder& step, int input) {
  constexpr std::int64_t index_elements = 2;  // an index takes 8 bytes
  const std::int64_t bytes = std::max(step.bytes(input) / 4, kElementBytes);
  const auto made = step.run({.name = "max_pool2d_with_indices",
                              .inputs = {input},
                              .output_bytes = {bytes, index_elements * bytes},
                              .cost_us = moving_us(4 * step.bytes(input))});
  step.node({.name = "MaxPool2DWithIndicesBackward0",
             .output = made[0],
             .inputs = {input},
             .saved = {input, made[1]},
             .cost_us = moving_us(2 * step.bytes(input))});
  return made[0];
}

int upsample(StepBuilder& step, int input) {
  const std::int64_t bytes = 4 * step.bytes(input);
  const int result = step.run({.name = "upsample_nearest2d",
                               .inputs = {input},
                               .output_bytes = {bytes},
                               .cost_us = moving_us(2 * bytes)})
                         .front();
  step.node({.name = "UpsampleNearest2DBackward0",
             .output = result,
             .inputs = {input},
             .cost_us = moving_us(2 * bytes)});
  return result;
}

int concatenate(StepBuilder& step, int left, int right) {
  const std::int64_t bytes = step.bytes(left) + step.bytes(right);
  const int result = step.run({.name = "cat",
                               .inputs = {left, right},
                               .output_bytes = {bytes},
                               .cost_us = moving_us(2 * bytes)})
                         .front();
  step.node({.name = "CatBackward0",
             .output = result,
             .inputs = {left, right},
             .cost_us = moving_us(2 * bytes)});
  return result;
}

int loss(StepBuilder& step, int input) {
  const std::int64_t bytes = step.bytes(input);
  const int squares = elementwise(step, "pow", input);
  step.node({.name = "PowBackward0",
             .output = squares,
             .inputs = {input},
             .saved = {input},
             .cost_us = moving_us(3 * bytes)});
  const int mean = step.run({.name = "mean",
                             .inputs = {squares},
                             .output_bytes = {kElementBytes},
                             .cost_us = moving_us(bytes)})
                       .front();
  step.node(
      {.name = "MeanBackward0", .output = mean, .inputs = {squares}, .cost_us = moving_us(bytes)});
  return mean;
}

}  // namespace reprise::plan
