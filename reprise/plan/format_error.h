// SPDX-License-Identifier: Apache-2.0
// A file or document that cannot be read, is damaged, or is of another kind than expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace reprise {

// The message is "PLACE: PROBLEM", on one line if both are:
//
//   throw FormatError("plan.json: line 3", "expected a ',', got the end");
//   throw FormatError("$.values[7].bytes", "expected an integer >= 0, got -1");
class FormatError : public std::runtime_error {
 public:
  // `place`: the file, or the document, with the offset, line or JSON path where that is known.
  // `what`: what was expected there, and what was found.
  FormatError(const std::string& place, const std::string& what);

  // FormatError(place, "expected EXPECTATION, got VALUE").
  static FormatError mismatch(const std::string& place, const std::string& expectation,
                              const std::string& value);

  std::string place() const;
  std::string problem() const;

 private:
  std::size_t place_bytes_;  // the message's first ones: so that a copy cannot throw
};

// The place of a byte: "FILE: offset 16".
std::string place_at_offset(const std::string& file, std::int64_t offset_bytes);

}  // namespace reprise
