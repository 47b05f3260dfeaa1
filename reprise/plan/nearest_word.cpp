// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace reprise::plan {
namespace {

// How many letters to change, add or leave out to make `b` of `a`.
std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::size_t> edits(b.size() + 1);  // from what was read of `a` to each start of `b`
  std::iota(edits.begin(), edits.end(), std::size_t{0});
  for (const char letter : a) {
    std::size_t before = edits[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = before + (letter == b[j] ? 0 : 1);
      before = edits[j + 1];
      edits[j + 1] = std::min({changed, before + 1, edits[j] + 1});
    }
  }
  return edits.back();
}

std::size_t most_edits(const std::string& known) {
  return std::max<std::size_t>(1, known.size() / 3);
}

}  // namespace

std::optional<std::string> nearest_word(const std::string& word,
                                        const std::vector<std::string>& known) {
  std::optional<std::string> nearest;
  std::size_t fewest = 0;
  for (const std::string& candidate : known) {
    const std::size_t edits = edits_between(word, candidate);
    if (edits <= most_edits(candidate) && (!nearest || edits < fewest)) {
      nearest = candidate;
      fewest = edits;
    }
  }
  return nearest;
}

}  // namespace reprise::plan
