// SPDX-License-Identifier: Apache-2.0
// Which files a folder holds. No torch.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::zoo {

enum class Subfolders { kLeftOut, kIncluded };

// The regular files, and links to such, in ascending order. Links to folders are not followed.
// Throws FormatError("PATH: cannot be read: ...") if the folder, a folder in it, or what an entry
// is cannot be read.
std::vector<std::filesystem::path> folder_files(const std::string& folder, Subfolders subfolders);

}  // namespace reprise::zoo
