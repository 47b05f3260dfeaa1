// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/byte_view.h"

#include <algorithm>
#include <numeric>

namespace reprise::tape {

// What a view has along its first `level` dimensions, at one place of the others.
struct RunsPart {
  const ByteRuns* runs = nullptr;
  std::size_t level = 0;
  std::int64_t begin = 0;

  static RunsPart whole(const ByteRuns& runs) {
    return {&runs, runs.dimensions_.size(), runs.begin_};
  }
  // REQUIRES: level > 0, as the next.
  RunsPart piece(std::int64_t index) const { return {runs, level - 1, begin + index * stride()}; }
  std::int64_t pieces() const { return runs->dimensions_[level - 1].size; }
  std::int64_t stride() const { return level == 0 ? 0 : runs->dimensions_[level - 1].stride; }
  std::int64_t extent() const {
    return level == 0 ? runs->run_ : runs->dimensions_[level - 1].extent;
  }
  std::int64_t end() const { return begin + extent(); }
};

namespace {

constexpr int kMostSteps = 1 << 18;

bool are_apart(const RunsPart& one, const RunsPart& other) {
  return one.end() <= other.begin || other.end() <= one.begin;
}

// All that the outer dimensions do is to move the rest of a view by multiples of `period`, the
// greatest common divisor of their strides. If the rests of both fit into one period without
// touching, nothing touches.
bool are_apart_in_each_period(RunsPart one, RunsPart other) {
  std::int64_t period = 0;
  while (one.level > 0 || other.level > 0) {
    const std::int64_t stride = std::max(one.stride(), other.stride());
    period = std::gcd(period, stride);
    one.level -= one.stride() == stride ? 1 : 0;
    other.level -= other.stride() == stride ? 1 : 0;
    std::int64_t distance = (other.begin - one.begin) % period;
    distance += distance < 0 ? period : 0;
    if (distance >= one.extent() && distance + other.extent() <= period) {
      return true;
    }
  }
  return false;
}

class Search {
 public:
  // Takes the part with the longer stride apart, and of its pieces those in reach of the other.
  bool meet(const RunsPart& one, const RunsPart& other) {
    if (are_apart(one, other)) {
      return false;
    }
    if (one.level == 0 && other.level == 0) {
      return true;
    }
    if (one.stride() < other.stride()) {
      return meet(other, one);
    }
    const std::int64_t first_end = one.piece(0).end();
    const std::int64_t first =
        other.begin < first_end ? 0 : (other.begin - first_end) / one.stride() + 1;
    for (std::int64_t i = first; i < one.pieces() && one.piece(i).begin < other.end(); ++i) {
      if (++steps_ > kMostSteps || meet(one.piece(i), other)) {
        return true;
      }
    }
    return false;
  }

 private:
  int steps_ = 0;
};

}  // namespace

ByteRuns::ByteRuns(const ByteView& view) : begin_(view.offset), run_(view.item_bytes) {
  std::vector<Dimension> repeated;
  for (std::size_t i = 0; i < view.sizes.size(); ++i) {
    if (view.sizes[i] == 0) {
      run_ = 0;
      return;
    }
    if (view.sizes[i] > 1 && view.strides[i] > 0) {
      repeated.push_back({view.sizes[i], view.strides[i]});
    }
  }
  std::sort(repeated.begin(), repeated.end(),
            [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  merge(repeated);
}

void ByteRuns::merge(const std::vector<Dimension>& ascending) {
  for (const Dimension& outer : ascending) {
    if (dimensions_.empty() && outer.stride <= run_) {
      run_ += (outer.size - 1) * outer.stride;
      continue;
    }
    if (!dimensions_.empty()) {
      Dimension& inner = dimensions_.back();
      const std::int64_t steps = outer.stride / inner.stride;
      if (outer.stride % inner.stride == 0 && steps <= inner.size) {  // goes on without a gap
        inner.size += steps * (outer.size - 1);
        continue;
      }
    }
    dimensions_.push_back(outer);
  }
  std::int64_t extent = run_;
  for (Dimension& dimension : dimensions_) {
    extent += (dimension.size - 1) * dimension.stride;
    dimension.extent = extent;
  }
}

bool ByteRuns::overlap(const ByteRuns& other) const {
  const RunsPart one_part = RunsPart::whole(*this);
  const RunsPart other_part = RunsPart::whole(other);
  return run_ > 0 && other.run_ > 0 && !are_apart(one_part, other_part) &&
         !are_apart_in_each_period(one_part, other_part) && Search().meet(one_part, other_part);
}

bool overlap(const ByteView& one, const ByteView& other) {
  return ByteRuns(one).overlap(ByteRuns(other));
}

}  // namespace reprise::tape
