// SPDX-License-Identifier: Apache-2.0
// Whole files in and out. A file is replaced at once or not at all.
#pragma once

#include <string>

namespace reprise::cli {

// Throws FormatError("FILE: cannot be read: ...").
std::string read_file(const std::string& path);

// Writes a temporary file in the same folder, syncs it to disk and renames it over `path`, so that
// a reader (or a crash, at any moment) sees the old content or the new, never a part. A symbolic
// link stays one: its target is replaced. A device or a pipe is written as it is.
// Throws FileError; what was at `path` is then untouched.
void replace_file(const std::string& path, const std::string& bytes);

// Throws FileError if replace_file(path, ...) is bound to fail (folder missing or not writable, or
// `path` is a folder): better known before hours of work than after.
void check_replaceable(const std::string& path);

}  // namespace reprise::cli
