// SPDX-License-Identifier: Apache-2.0
// ByteView: the bytes of a storage that a tensor looks at, as plain numbers; and whether two of
// them share a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reprise::tape {

// As many sizes as strides; all numbers are >= 0. The order of the dimensions does not matter, and
// elements may share bytes (strides of 0, windows).
struct ByteView {
  std::int64_t offset = 0;      // bytes, as the strides
  std::int64_t item_bytes = 0;  // of one element
  std::vector<std::int64_t> sizes = {};
  std::vector<std::int64_t> strides = {};
};

// A view made ready to be compared with many: runs of bytes that are repeated along as few
// dimensions as it takes, with strides that are longer than a run.
class ByteRuns {
 public:
  explicit ByteRuns(const ByteView& view);

  // Whether the two share a byte of their storage.
  //
  // Exact, with a way out: if 2^18 steps do not tell, the answer is yes. A step looks at one piece
  // of one view that lies in reach of the other.
  // O(dimensions) where the ranges are apart, where both views are dense, and where the strides
  // tell (chunks, columns, every second element); else O(pieces), up to those steps.
  bool overlap(const ByteRuns& other) const;

 private:
  friend struct RunsPart;
  struct Dimension {
    std::int64_t size = 1;
    std::int64_t stride = 0;
    std::int64_t extent = 0;  // from the first byte along it, and along all before it, to the last
  };
  void merge(const std::vector<Dimension>& ascending);

  std::int64_t begin_ = 0;
  std::int64_t run_ = 0;                    // bytes; 0: the view has no element
  std::vector<Dimension> dimensions_ = {};  // strides ascend
};

// The same for two views that are compared once.
bool overlap(const ByteView& one, const ByteView& other);

}  // namespace reprise::tape
