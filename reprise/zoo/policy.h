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
// "bytes=N" and "cost=N" measure the model's blocks in one step on `sample`, with the model's
// present mode and device; parameters, gradients, buffers, the model's own placement and the random
// state are left as they were. The other policies do not look at `sample`.
// Throws std::invalid_argument if the policy is unknown or the model has no such parts.
RegionPlacement place_policy(const std::string& policy, Model& model, const Batch& sample,
                             const tape::RegionOptions& options = {});

}  // namespace reprise::zoo
