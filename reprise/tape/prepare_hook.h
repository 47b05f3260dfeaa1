// SPDX-License-Identifier: Apache-2.0
// A gradient pre-hook that brings back the values of a region before any of its nodes runs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include "reprise/tape/region_values.h"

namespace reprise::tape {

// Has `region` prepare before the nodes run that made `results` (undefined ones allowed). Nodes
// older than `first_node`, a sequence number, made results that the region only passed on: they run
// after its own.
void prepare_before_makers(c10::ArrayRef<at::Tensor> results, std::uint64_t first_node,
                           const std::shared_ptr<RegionValues>& region);

// The regions that prepare before the node runs that made `result`.
std::vector<std::shared_ptr<RegionValues>> prepared_before_maker(const at::Tensor& result);

}  // namespace reprise::tape
