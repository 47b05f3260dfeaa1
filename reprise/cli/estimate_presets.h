// SPDX-License-Identifier: Apache-2.0
// Known models for `reprise estimate --preset`.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace reprise::cli {

std::vector<std::string> estimate_preset_names();

// Values of options of `estimate`, by name. REQUIRES: `name` is one of estimate_preset_names().
std::map<std::string, std::string> estimate_preset(const std::string& name);

}  // namespace reprise::cli
