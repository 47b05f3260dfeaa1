// SPDX-License-Identifier: Apache-2.0
// The words that a bench program is called with, and what it says where they are wrong.
#pragma once

#include <string>
#include <vector>

namespace reprise::bench {

// Ends the program with status 2 after a line on standard error: "chain: expected no words, got
// '--help'; usage: chain".
[[noreturn]] void end_with_usage(const std::string& usage, const std::string& expectation,
                                 const std::string& got);

// The words behind the program's name.
std::vector<std::string> words_of(int count, char** words);

// Of programs that take none.
void require_no_words(int count, char** words, const std::string& usage);

// `word` as a whole number from 1 to 1000000; otherwise the program ends with its usage.
int count_of(const std::string& word, const std::string& usage);

void require_one_of(const std::vector<std::string>& names, const std::string& word,
                    const std::string& usage);

}  // namespace reprise::bench
