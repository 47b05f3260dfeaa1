// SPDX-License-Identifier: Apache-2.0
// The options that name a model and its sizes.
#pragma once

#include <string>
#include <vector>

#include "reprise/cli/option_group.h"

namespace reprise::cli {

// `fallback` and `help`: of --model.
OptionGroup model_options(const std::string& command, const std::string& heading,
                          const std::string& fallback, const std::string& help);

// Of `plan`: a model whose step it is to plan without running it.
std::vector<OptionRecord> planned_model_options();

}  // namespace reprise::cli
