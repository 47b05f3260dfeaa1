// SPDX-License-Identifier: Apache-2.0
// The programs and schedules that commands read.
#pragma once

#include <string>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::cli {

// The word that stands for the schedule that replays nothing.
inline constexpr const char* kKeepAll = "keepall";

// Throw FormatError (or FileError) if the file cannot be read or is not what it should be.
plan::Program load_program(const std::string& path);
plan::Schedule load_schedule(const std::string& path_or_keepall, const plan::Program& program);

}  // namespace reprise::cli
