// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/over_budget.h"

namespace reprise::plan {

void OverBudget::find(const MaxTree& bytes, std::int64_t limit) {
  excess_bytes_ = bytes.find_above(limit, places_);
  peak_ = static_cast<Place>(bytes.argmax(0, bytes.size() - 1));
  counts_.clear();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto before = static_cast<std::size_t>(places_[i] - places_.front());
    counts_.resize(before + 1, static_cast<std::int32_t>(i));
  }
}

std::int64_t OverBudget::count_before(Place place) const {
  if (place <= places_.front()) {
    return 0;
  }
  return place > places_.back() ? static_cast<std::int64_t>(places_.size())
                                : counts_[static_cast<std::size_t>(place - places_.front())];
}

OverBudget::Between OverBudget::between(Place after, Place before) const {
  const std::int64_t first = count_before(after + 1);
  const std::int64_t count = count_before(before) - first;
  if (count <= 0) {
    return {};
  }
  const bool has_peak = after < peak_ && peak_ < before;
  return {.count = count,
          .reference = has_peak ? peak_ : places_[static_cast<std::size_t>(first + count / 2)]};
}

}  // namespace reprise::plan
