// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/folder_files.h"

#include <algorithm>
#include <system_error>

#include "reprise/plan/format_error.h"

namespace reprise::zoo {
namespace {

namespace fs = std::filesystem;

void check(const std::error_code& error, const fs::path& path) {
  if (error) {
    throw FormatError(path.string(), "cannot be read: " + error.message());
  }
}

// A link to nothing is no regular file, and no error either.
bool is_regular_file(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_status status = entry.status(error);
  if (status.type() != fs::file_type::not_found) {
    check(error, entry.path());
  }
  return fs::is_regular_file(status);
}

}  // namespace

std::vector<fs::path> folder_files(const std::string& folder, Subfolders subfolders) {
  std::error_code error;
  std::vector<fs::path> files;
  fs::path last = folder;  // what an error of the walk is about
  fs::recursive_directory_iterator entry(folder, error);
  check(error, last);
  while (entry != fs::recursive_directory_iterator()) {
    last = entry->path();
    if (is_regular_file(*entry)) {
      files.push_back(last);
    }
    if (subfolders == Subfolders::kLeftOut) {
      entry.disable_recursion_pending();
    }
    entry.increment(error);
    check(error, last);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace reprise::zoo
