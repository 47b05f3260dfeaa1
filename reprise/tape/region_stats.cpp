// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/region_stats.h"

#include <sstream>

namespace reprise::tape {
namespace {

void accumulate(RegionCounts& sum, const RegionCounts& counts) {
  sum.regions += counts.regions;
  sum.reruns += counts.reruns;
  sum.recomputed_ops += counts.recomputed_ops;
  sum.values += counts.values;
  sum.dropped_bytes += counts.dropped_bytes;
  sum.kept_bytes += counts.kept_bytes;
  sum.unpreserved_random += counts.unpreserved_random;
}

}  // namespace

void RegionStats::add(const std::string& name, const RegionCounts& counts) {
  const std::lock_guard lock(mutex_);
  accumulate(by_name_[name], counts);
}

std::map<std::string, RegionCounts> RegionStats::by_name() const {
  const std::lock_guard lock(mutex_);
  return by_name_;
}

RegionCounts RegionStats::total() const {
  const std::lock_guard lock(mutex_);
  RegionCounts sum;
  for (const auto& [name, counts] : by_name_) {
    accumulate(sum, counts);
  }
  return sum;
}

void RegionStats::clear() {
  const std::lock_guard lock(mutex_);
  by_name_.clear();
}

std::string RegionStats::text() const {
  std::ostringstream out;
  for (const auto& [name, counts] : by_name()) {
    out << (name.empty() ? "(unnamed)" : name) << ": " << counts.regions << " regions, "
        << counts.values << " values dropped, saves " << counts.dropped_bytes << " bytes, "
        << counts.reruns << " reruns, " << counts.recomputed_ops << " ops recomputed\n";
  }
  return out.str();
}

}  // namespace reprise::tape
