// SPDX-License-Identifier: Apache-2.0
// Where a command's results go: text for people, and the JSON that --json asks for.
#pragma once

#include <iosfwd>
#include <string>

namespace reprise::cli {

// The streams outlive it.
class ReportOutput {
 public:
  // `json_path`: "" (no JSON), "-" (to `out`, alone: text then goes to `err`) or a file. Throws
  // FileError at once if that file cannot be written.
  ReportOutput(std::string json_path, std::ostream& out, std::ostream& err);

  std::ostream& text() const { return text_; }

  // Writes `json` where it was asked for, a file at once or not at all. Throws FileError.
  void write_json(const std::string& json) const;

 private:
  std::string json_path_;
  std::ostream& out_;
  std::ostream& text_;
};

}  // namespace reprise::cli
