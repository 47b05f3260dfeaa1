// SPDX-License-Identifier: Apache-2.0
// What checkpointed regions did: counted while they run, read by tests and reports.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace reprise::tape {

// Sums over every run of the regions that share one name.
struct RegionCounts {
  std::int64_t regions = 0;             // forward runs that left something to recompute
  std::int64_t reruns = 0;              // times the region's function ran again
  std::int64_t recomputed_ops = 0;      // ATen ops below autograd that ran in backward
  std::int64_t values = 0;              // values that autograd wanted to keep, dropped instead
  std::int64_t dropped_bytes = 0;       // bytes that were freed after forward because of it
  std::int64_t kept_bytes = 0;          // saved random states and contents before in-place writes
  std::int64_t unpreserved_random = 0;  // random ops that ran while preserves_rng was off
  std::int64_t policy_bytes = 0;        // values that a policy keeps
  std::int64_t offloads_kept = 0;       // of them, values that it would rather move off the device
  std::int64_t replay_peak_bytes = 0;   // the most that one replay had made at a time; no sum
  std::int64_t idle_regions = 0;        // forward runs from which backward needs no value
};

// Collects RegionCounts by region name. Thread-safe: backward may run on another thread.
class RegionStats {
 public:
  // Adds `counts` to what is known of the regions called `name`.
  void add(const std::string& name, const RegionCounts& counts);

  std::map<std::string, RegionCounts> by_name() const;
  RegionCounts total() const;
  void clear();

  // One line per name: values and bytes dropped, reruns, recomputed ops. Regions that freed nothing
  // read "saves 0 bytes", and why; of others it says if bringing the values back takes more memory
  // than they save.
  std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, RegionCounts> by_name_;
};

}  // namespace reprise::tape
