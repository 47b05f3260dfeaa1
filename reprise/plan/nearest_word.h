// SPDX-License-Identifier: Apache-2.0
// What a user may have meant by a word that is not known.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace reprise::plan {

// The one of `known` that `word` is a slip of: at most a third of its letters are wrong, missing or
// too many, at least one may be. Of several the nearest, of equals the first. O(|word| * |known|)
// letters.
std::optional<std::string> nearest_word(const std::string& word,
                                        const std::vector<std::string>& known);

}  // namespace reprise::plan
