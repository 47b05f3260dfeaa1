// SPDX-License-Identifier: Apache-2.0
// The model that the options of a command name.
#pragma once

#include "reprise/cli/argument_names.h"
#include "reprise/cli/option_table.h"
#include "reprise/zoo/make_model.h"

namespace reprise::cli {

// Of --model and its sizes. Throws UsageError if --depths is no list of numbers.
zoo::ModelSpec model_spec(const OptionValues& values);

// What the arguments of models and data are called on the command line.
const ArgumentNames& zoo_names();

}  // namespace reprise::cli
