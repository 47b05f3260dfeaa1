// SPDX-License-Identifier: Apache-2.0
// Policies by name: "sqrt" or "every=2" turned into the regions of a model.
#pragma once

#include <string>
#include <vector>

#include "reprise/zoo/model.h"

namespace reprise::zoo {

// One policy for help texts: how it is written and what it does.
struct PolicyHelp {
  std::string form;  // "every=K"
  std::string help;  // one line
};

// Every policy that place_policy() knows.
const std::vector<PolicyHelp>& policies();

// Throws std::invalid_argument (place, expectation, value) unless `policy` is written like one of
// policies(); knows no model, so a number may still prove too large for one.
void check_policy(const std::string& policy);

// The regions that `policy` means for `model`; give them to Model::place_regions.
//
// "best", "bytes=N" and "cost=N" measure the model's blocks in one step on `sample`, with the
// model's present mode and device and the caller's autocast; parameters, gradients, buffers, the
// model's own placement and the random state are left as they were. The other policies do not look
// at `sample`. Throws std::invalid_argument if the policy is unknown or the model has no such
// parts.
RegionPlacement place_policy(const std::string& policy, Model& model, const Batch& sample,
                             const tape::RegionOptions& options = {});

// `placement` if the sequences of `sample` have at least `threshold` positions; below that, where
// activations fit anyway, no regions.
// Throws std::invalid_argument if the model takes no sequences or `threshold` is negative.
RegionPlacement from_sequence_length(RegionPlacement placement, const Model& model,
                                     const Batch& sample, std::int64_t threshold);

}  // namespace reprise::zoo
