// SPDX-License-Identifier: Apache-2.0
// Options that a saved run brings along, and those that must not change when it is gone on with.
#pragma once

#include <map>
#include <string>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

using OptionTexts = std::map<std::string, std::string>;

// What a run under `values` saves.
OptionTexts carried_options(const OptionValues& values);

// Gives each option that the user left out the value that it had in the saved run.
void adopt_options(const OptionTexts& saved, OptionValues& values);

// Throws UsageError("--dim: expected 128 as in FILE, got '64'") if an option that decides the
// result differs. Numbers are compared as numbers; a size that either side left to the model is not
// compared here (compare the models).
void check_same_options(const OptionTexts& saved, const OptionValues& values,
                        const std::string& file);

// CRC-32 of the files that --text, --data and --labels name, as hexadecimal digits; "" if none is
// named. Of a folder: of all files below it, with their names. Throws FormatError if one cannot be
// read.
std::string data_crc32(const OptionValues& values);

}  // namespace reprise::cli
