// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/synthetic_data.h"

#include <numbers>

#include <ATen/ops/arange.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

namespace reprise::zoo {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr double kNoise = 0.3;  // standard deviation; the images lie in [-1, 1]

std::string squares(std::int64_t size) {
  return "images of " + std::to_string(size) + " x " + std::to_string(size);
}

// [B, S, S] under noise, in three channels.
at::Tensor noisy(const at::Tensor& images, const at::Generator& generator) {
  const at::Tensor colour = images.to(at::kFloat).unsqueeze(1).expand({-1, 3, -1, -1});
  return colour + at::randn(colour.sizes(), generator, at::kFloat) * kNoise;
}

// Of shape [B, S]: true for S pixels from `start` on, `length` of them. start, length: [B, 1].
at::Tensor span(const at::Tensor& start, const at::Tensor& length, std::int64_t size) {
  const at::Tensor pixel = at::arange(size);
  return pixel.ge(start).logical_and(pixel.lt(start + length));
}

}  // namespace

SyntheticData::SyntheticData(Parts parts, std::uint64_t seed)
    : parts_(std::move(parts)), seed_(seed) {}

Batch SyntheticData::batch(Split split, std::int64_t index) const {
  return parts_.make(batch_generator(seed_, split, index));
}

SyntheticData synthetic_text(const TextSizes& sizes) {
  const std::int64_t batch = sizes.batch_size;
  const std::int64_t context = sizes.context;
  const auto make = [batch, context](const at::Generator& generator) -> Batch {
    const at::Tensor first = at::randint(256, {batch, 1}, generator, at::kLong);
    const at::Tensor step = at::randint(1, 5, {batch, 1}, generator, at::kLong);
    const at::Tensor bytes = (first + step * at::arange(context + 1)).remainder(256);
    return {{bytes.slice(1, 0, context).contiguous()}, bytes.slice(1, 1).contiguous()};
  };
  return {{"bytes that count up", "tokens", batch * context, make}, sizes.seed};
}

SyntheticData synthetic_audio(const AudioDataSizes& sizes) {
  const std::int64_t batch = sizes.batch_size;
  const std::int64_t length = sizes.samples;
  const auto make = [batch, length](const at::Generator& generator) {
    const at::Tensor time = at::arange(length, at::kFloat) / static_cast<double>(length);
    const auto drawn = [&](double low, double high) {
      return at::rand({batch, 1}, generator, at::kFloat) * (high - low) + low;
    };
    const at::Tensor tone = (drawn(0.01, 0.2) * at::arange(length, at::kFloat) * kTwoPi).sin();
    const at::Tensor swell = ((drawn(1, 4) * time + drawn(0, 1)) * kTwoPi).sin().square();
    return loudness_batch(tone * swell * 0.5, generator);
  };
  return {
      {"tones that swell and fade; target: loudness per frame", "samples", batch * length, make},
      sizes.seed};
}

SyntheticData synthetic_stripes(const SyntheticImageSizes& sizes) {
  const std::int64_t batch = sizes.batch_size;
  const std::int64_t size = sizes.image_size;
  const std::int64_t classes = sizes.classes;
  const auto make = [batch, size, classes](const at::Generator& generator) -> Batch {
    const at::Tensor label = at::randint(classes, {batch}, generator, at::kLong);
    const at::Tensor shift = at::rand({batch, 1, 1}, generator, at::kFloat);
    const at::Tensor down =
        at::arange(size, at::kFloat).view({1, size, 1}) / static_cast<double>(size);
    const at::Tensor stripes = (((label + 1).view({batch, 1, 1}) * down + shift) * kTwoPi)
                                   .sin()
                                   .expand({batch, size, size});
    return {{noisy(stripes, generator)}, label};
  };
  return {{squares(size) + ": stripes to count", "images", batch, make}, sizes.seed};
}

SyntheticData synthetic_rectangles(const SyntheticImageSizes& sizes) {
  const std::int64_t batch = sizes.batch_size;
  const std::int64_t size = sizes.image_size;
  const std::int64_t classes = sizes.classes;
  const auto make = [batch, size, classes](const at::Generator& generator) -> Batch {
    const std::int64_t shortest = size / 4 + 1;
    const std::int64_t longest = size / 2 + 1;
    const auto side = [&] {
      const at::Tensor length =
          at::randint(shortest, longest + 1, {batch, 1}, generator, at::kLong);
      const at::Tensor start = at::randint(size - longest + 1, {batch, 1}, generator, at::kLong);
      return span(start, length, size);
    };
    const at::Tensor label = at::randint(1, classes, {batch, 1, 1}, generator, at::kLong);
    const at::Tensor rows = side().unsqueeze(2);
    const at::Tensor columns = side().unsqueeze(1);
    const at::Tensor target = label * rows.logical_and(columns);
    const at::Tensor brightness = target.to(at::kFloat) / static_cast<double>(classes - 1);
    return {{noisy(brightness * 2 - 1, generator)}, target};
  };
  return {{squares(size) + ": rectangles to find", "images", batch, make}, sizes.seed};
}

}  // namespace reprise::zoo
