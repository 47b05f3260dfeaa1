// SPDX-License-Identifier: Apache-2.0
#include "bench/usage.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>

namespace reprise::bench {

void end_with_usage(const std::string& usage, const std::string& expectation,
                    const std::string& got) {
  std::cerr << usage.substr(0, usage.find(' ')) << ": expected " << expectation << ", got '" << got
            << "'; usage: " << usage << '\n';
  std::exit(2);
}

std::vector<std::string> words_of(int count, char** words) {
  return {words + std::min(count, 1), words + count};
}

void require_no_words(int count, char** words, const std::string& usage) {
  if (count > 1) {
    end_with_usage(usage, "no words", words[1]);
  }
}

int count_of(const std::string& word, const std::string& usage) {
  constexpr int most = 1'000'000;
  int number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end || number < 1 || number > most) {
    end_with_usage(usage, "a number in [1, " + std::to_string(most) + "]", word);
  }
  return number;
}

void require_one_of(const std::vector<std::string>& names, const std::string& word,
                    const std::string& usage) {
  if (std::find(names.begin(), names.end(), word) == names.end()) {
    std::string known;
    for (const std::string& name : names) {
      known += (known.empty() ? "" : ", ") + name;
    }
    end_with_usage(usage, "one of: " + known, word);
  }
}

}  // namespace reprise::bench
