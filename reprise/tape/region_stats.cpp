// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/region_stats.h"

#include <algorithm>
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
  sum.policy_bytes += counts.policy_bytes;
  sum.offloads_kept += counts.offloads_kept;
  sum.replay_peak_bytes = std::max(sum.replay_peak_bytes, counts.replay_peak_bytes);
  sum.idle_regions += counts.idle_regions;
}

// Why regions save nothing, or less than it takes to bring it back; empty if there is nothing to
// say.
std::string remark(const RegionCounts& counts) {
  if (counts.regions == 0) {
    return counts.idle_regions == 0 ? "" : " (backward needs no value from inside)";
  }
  if (counts.dropped_bytes == 0) {
    return counts.policy_bytes > 0 ? " (a policy keeps its values)"
                                   : " (what backward needs of it are tensors from outside, its "
                                     "inputs or results, which others hold)";
  }
  if (counts.replay_peak_bytes > counts.dropped_bytes / counts.regions) {
    return " (bringing them back takes " + std::to_string(counts.replay_peak_bytes) +
           " bytes, more than a region saves)";
  }
  return "";
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
    out << (name.empty() ? "(unnamed)" : name) << ": " << counts.regions + counts.idle_regions
        << " regions, " << counts.values << " values dropped, saves " << counts.dropped_bytes
        << " bytes" << remark(counts) << ", " << counts.reruns << " reruns, "
        << counts.recomputed_ops << " ops recomputed";
    if (counts.policy_bytes > 0) {
      out << ", " << counts.policy_bytes << " bytes kept by policies";
    }
    if (counts.offloads_kept > 0) {
      out << ", " << counts.offloads_kept << " values kept that a policy would offload (planned)";
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace reprise::tape
