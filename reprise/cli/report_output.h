// SPDX-License-Identifier: Apache-2.0
// Where a command's results go: text for people, and the files that its options ask for.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

// The streams outlive it.
class ReportOutput {
 public:
  // `outputs`: options (without the dashes) that each name a file to write, "-" (`out`, alone: text
  // then goes to `err`) or "" (nothing). `inputs`: options and operands that name files to read, if
  // they are given. Throws at once
  // UsageError if two outputs are the same file, or an output is an input; FileError if a file
  // cannot be written.
  ReportOutput(const OptionValues& values, const std::vector<std::string>& outputs,
               const std::vector<std::string>& inputs, std::ostream& out, std::ostream& err);

  std::ostream& text() const { return text_; }
  bool text_goes_to_errors() const { return &text_ == &err_; }

  // Is anything to be written for this option?
  bool is_asked_for(const std::string& output) const { return !paths_.at(output).empty(); }
  // Writes `bytes` where they were asked for, a file at once or not at all. Throws FileError.
  // To be called before text is written: a reader of the text who leaves ends the program.
  void write(const std::string& output, const std::string& bytes) const;

 private:
  std::map<std::string, std::string> paths_;
  std::ostream& out_;
  std::ostream& err_;
  std::ostream& text_;
};

}  // namespace reprise::cli
