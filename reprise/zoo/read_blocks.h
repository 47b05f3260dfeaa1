// SPDX-License-Identifier: Apache-2.0
// Files in, block by block: the one place that the zoo and the commands read files with. No torch.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace reprise::zoo {

// Calls take(block) with the content of `path`, in order; a block is valid during the call only.
// Throws FormatError("FILE: cannot be read: ...").
void read_blocks(const std::string& path, const std::function<void(std::string_view)>& take);

}  // namespace reprise::zoo
