// SPDX-License-Identifier: Apache-2.0
// Programs and schedules as JSON: "reprise.program" and "reprise.schedule" (docs/file_formats.md).
// Sources: read_program.cpp, read_schedule.cpp, write_formats.cpp.
//
// 1. Reading is strict. What is missing, of the wrong type, out of range, given twice, or names
//    something that is not there is a FormatError whose place is that of the document with a path
//    behind it: "gpt.json: values[3].bytes: expected an integer >= 0, got -1". Fields that this
//    version does not know are passed over.
// 2. Writing is canonical: equal structs give equal bytes, and reading gives the struct back.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// `place`: the file that `json` came from, for messages. What is returned has no fault
// (find_fault()). Throw FormatError. O(size of the document).
Program read_program(std::string_view json, const std::string& place);
Program read_program(std::istream& in, const std::string& place);

// Checks what can be checked without the program: types, ids that are not negative, ascending uses,
// lists that are not empty. Throw FormatError.
Schedule read_schedule(std::string_view json, const std::string& place);
Schedule read_schedule(std::istream& in, const std::string& place);

// Checks the schedule against its program too. Throws FormatError.
Schedule read_schedule(std::string_view json, const std::string& place, const Program& program);

// One line per value, recipe and use. Fields that have their default value and may be absent are
// left out. Throws std::invalid_argument if the program has a fault.
std::string write_program(const Program& program);

// One line per use with replays. Throws std::invalid_argument if a number in it could not be read
// again: negative or not finite.
std::string write_schedule(const Schedule& schedule);

}  // namespace reprise::plan
