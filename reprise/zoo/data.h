// SPDX-License-Identifier: Apache-2.0
// A source of batches: batch number i is a pure function of (source, seed, i), so that an
// interrupted run goes on with the batches it would have seen, and nothing about the data need be
// saved.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Generator.h>

#include "reprise/zoo/model.h"

namespace reprise::zoo {

enum class Split { kTrain, kValidation };

class DataSource {
 public:
  virtual ~DataSource() = default;

  // Batch number `index` of the split, on the CPU. REQUIRES: index >= 0.
  // The default random generators are neither read nor advanced.
  virtual Batch batch(Split split, std::int64_t index) const = 0;

  // What a batch has and how many: "tokens", "images", "samples" for throughput lines.
  virtual std::string item() const = 0;
  virtual std::int64_t items_per_batch() const = 0;

  // For people: the file and its sizes, or "synthetic ...".
  virtual std::string description() const = 0;
  // True if the data were made on the spot instead of read from files.
  virtual bool is_synthetic() const = 0;
};

// Of one batch's own: what a source draws from.
at::Generator batch_generator(std::uint64_t seed, Split split, std::int64_t index);

// A seed for batch `index` of `split`, mixed so that neighbouring batches have unrelated streams.
std::uint64_t batch_seed(std::uint64_t seed, Split split, std::int64_t index);

}  // namespace reprise::zoo
