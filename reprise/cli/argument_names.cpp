// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/argument_names.h"

#include <algorithm>
#include <string_view>

namespace reprise::cli {
namespace {

constexpr std::string_view kWordLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

const std::string& name_in(const ArgumentNames& names, const std::string& argument) {
  const auto found = names.find(argument);
  return found == names.end() ? argument : found->second;
}

// Every word of `text` that is an argument is called what it is called on the command line.
std::string words_in(const ArgumentNames& names, const std::string& text) {
  std::string told;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t word = std::min(text.find_first_of(kWordLetters, at), text.size());
    const std::size_t behind = std::min(text.find_first_not_of(kWordLetters, word), text.size());
    told.append(text, at, word - at).append(name_in(names, text.substr(word, behind - word)));
    at = behind;
  }
  return told;
}

}  // namespace

std::string message_in(const ArgumentNames& names, const ArgumentError& error) {
  const std::string remark = error.remark();
  return name_in(names, error.name()) + ": expected " + words_in(names, error.expectation()) +
         ", got '" + error.value() + "'" + (remark.empty() ? "" : ": " + remark);
}

}  // namespace reprise::cli
