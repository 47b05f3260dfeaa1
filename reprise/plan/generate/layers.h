// SPDX-License-Identifier: Apache-2.0
// The ops that generated networks are made of, each with its node of backward. Elements are floats
// of 4 bytes.
#pragma once

#include <cstdint>
#include <string>

#include "reprise/plan/generate/step_builder.h"

namespace reprise::plan {

inline constexpr std::int64_t kElementBytes = 4;

// What the step begins with: made by an op of its own from something external.
int step_input(StepBuilder& step, std::int64_t elements);
// A matrix product with a bias added in place; `rows` x `columns` weights. Saves its input.
int linear(StepBuilder& step, int input, std::int64_t rows, std::int64_t columns);
// Saves its input, the mean and the deviation of each of `groups`.
int layer_norm(StepBuilder& step, int input, std::int64_t groups);
int batch_norm(StepBuilder& step, int input, std::int64_t channels);
// Saves its input.
int gelu(StepBuilder& step, int input);
// In place, and saves its result.
int relu(StepBuilder& step, int input);
int tanh(StepBuilder& step, int input);
// Saves its result.
int softmax(StepBuilder& step, int input);
// Draws a mask and multiplies by it. Saves the mask.
int dropout(StepBuilder& step, int input);
// `share` of the input, moved to where a batched product wants it. Saves nothing.
int clone(StepBuilder& step, int input, std::int64_t share_bytes);
// A batched product of `flops` operations. Saves both inputs.
int batched_product(StepBuilder& step, int left, int right, std::int64_t output_bytes,
                    double flops);
// Saves nothing.
int scale(StepBuilder& step, int input);
int add(StepBuilder& step, int left, int right);
// Of `channels` to `filters`, `window` taps, over `pixels` of its result in all images. Saves its
// input.
int convolution(StepBuilder& step, int input, std::int64_t channels, std::int64_t filters,
                std::int64_t window, std::int64_t pixels);
// Halves each side of an image. Saves its input and where the largest pixels are.
int max_pool(StepBuilder& step, int input);
// Doubles each side of an image. Saves nothing.
int upsample(StepBuilder& step, int input);
// Saves nothing.
int concatenate(StepBuilder& step, int left, int right);
// The mean of the squares. Saves its input.
int loss(StepBuilder& step, int input);

}  // namespace reprise::plan
