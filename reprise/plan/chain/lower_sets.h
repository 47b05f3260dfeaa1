// SPDX-License-Identifier: Apache-2.0
// Plans for a chain that run each layer again at most once: canonical strategies, and the least
// memory of all such plans.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace reprise::plan {

struct Layer {
  double forward_us = 0;
  std::int64_t output_bytes = 0;

  bool operator==(const Layer&) const = default;
};

// Blocks of consecutive layers. Forward keeps the last output of each block but the last one;
// backward computes the others of a block again before it reverses it.
struct CanonicalStrategy {
  std::vector<std::int64_t> ends;  // of the blocks, ascending; the last is the number of layers
  double overhead_us = 0;          // of all layers but those kept
  std::int64_t peak_bytes = 0;

  bool operator==(const CanonicalStrategy&) const = default;
};

// The strategy of the least overhead whose peak fits `budget_bytes`, or nothing. The peak of a
// block is: what earlier blocks keep + twice the block (its values and their gradients) + the first
// output after it. Exact; of equals the one that keeps least. Kusumoto et al. 2019 (NeurIPS, "A
// graph theoretic framework of recomputation algorithms"), whose lower sets are a chain's prefixes
// here. O(layers^2 * f), f the most strategies of a prefix of which none is better in both overhead
// and kept bytes: at most layers for equal layers. Throws std::invalid_argument unless there is a
// layer, times are finite and nothing is negative.
std::optional<CanonicalStrategy> plan_canonical(const std::vector<Layer>& layers,
                                                std::int64_t budget_bytes);

// The kept layers of least memory: the bytes of all that are kept, the first and the last among
// them, and the most bytes strictly between two neighbours. Of equals, the least of the latter.
struct LeastMemory {
  std::vector<std::int64_t> kept;  // layers, ascending
  std::int64_t kept_bytes = 0;
  std::int64_t between_bytes = 0;

  bool operator==(const LeastMemory&) const = default;
};

// Exact: a shortest path over the layers for each possible sum between two kept ones. Feng & Huang
// 2021 (CVPR, "Optimal gradient checkpoint search for arbitrary computation graphs"), linear
// graphs. O(layers^4) at worst. Throws std::invalid_argument unless there is a layer and no size is
// negative.
LeastMemory least_memory(const std::vector<std::int64_t>& output_bytes);

}  // namespace reprise::plan
