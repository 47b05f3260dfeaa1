// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/text_data.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/randint.h>

#include "reprise/plan/format_error.h"
#include "reprise/zoo/read_bytes.h"

namespace reprise::zoo {

TextData::TextData(std::string path, const TextSizes& sizes)
    : path_(std::move(path)), sizes_(sizes) {
  const at::Tensor bytes = read_bytes(path_);
  const std::int64_t size = bytes.size(0);
  const std::int64_t validation_bytes = size / 10;
  const std::int64_t window = sizes.context + 1;
  if (validation_bytes < window) {
    throw FormatError::mismatch(path_,
                                "at least " + std::to_string(10 * window) +
                                    " bytes for a context of " + std::to_string(sizes.context),
                                std::to_string(size));
  }
  train_ = bytes.slice(0, 0, size - validation_bytes);
  validation_ = bytes.slice(0, size - validation_bytes);
}

Batch TextData::batch(Split split, std::int64_t index) const {
  const at::Tensor& bytes = split == Split::kTrain ? train_ : validation_;
  const std::int64_t context = sizes_.context;
  const at::Tensor starts = at::randint(bytes.size(0) - context, {sizes_.batch_size, 1},
                                        batch_generator(sizes_.seed, split, index), at::kLong);
  const at::Tensor windows = bytes.index({starts + at::arange(context + 1)}).to(at::kLong);
  return {{windows.slice(1, 0, context).contiguous()}, windows.slice(1, 1).contiguous()};
}

std::string TextData::description() const {
  return path_ + ": " + std::to_string(train_.size(0)) + " bytes to train on, " +
         std::to_string(validation_.size(0)) + " to validate on";
}

}  // namespace reprise::zoo
