// SPDX-License-Identifier: Apache-2.0
// RecordedRun: the one run of a region's function; what it leaves behind replays its ops in
// backward.
//
// The counterpart of RegionRun (region.h) for Recompute::kReplay. Inside another recorded region it
// goes on that one's tape, elsewhere on a tape of its own.
#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include "reprise/tape/kept_value.h"
#include "reprise/tape/region_options.h"

namespace reprise::tape {

class RecordedRun {
 public:
  // Throws std::runtime_error if ops cannot be watched in this process.
  explicit RecordedRun(const RegionOptions& options);
  // Without `finish` (an exception is in flight) values come back only where they are asked for.
  ~RecordedRun();
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  // After the function has run, before `finish`.
  std::vector<KeptValue> kept_values() const;
  // The function has returned. `results`: its tensors, in any order, undefined ones allowed.
  void finish(c10::ArrayRef<at::Tensor> results);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reprise::tape
