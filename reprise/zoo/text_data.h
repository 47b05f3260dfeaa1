// SPDX-License-Identifier: Apache-2.0
// Windows of a text, byte by byte, for models that predict the next byte.
#pragma once

#include <string>

#include "reprise/zoo/data.h"

namespace reprise::zoo {

struct TextSizes {
  std::int64_t batch_size = 8;
  std::int64_t context = 128;  // tokens per sequence
  std::uint64_t seed = 1;
};

// A file's bytes: the first nine tenths are for training, the rest for validation. A batch is
// `batch_size` windows at random places; the target is the window moved on by one byte.
class TextData final : public DataSource {
 public:
  // Throws FormatError if the file cannot be read or a part is shorter than a window.
  TextData(std::string path, const TextSizes& sizes);

  Batch batch(Split split, std::int64_t index) const override;
  std::string item() const override { return "tokens"; }
  std::int64_t items_per_batch() const override { return sizes_.batch_size * sizes_.context; }
  std::string description() const override;
  bool is_synthetic() const override { return false; }

 private:
  std::string path_;
  TextSizes sizes_;
  at::Tensor train_, validation_;  // bytes
};

}  // namespace reprise::zoo
