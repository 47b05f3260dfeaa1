// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/report_output.h"

#include <ostream>
#include <utility>

#include "reprise/cli/errors.h"
#include "reprise/cli/file_bytes.h"

namespace reprise::cli {

ReportOutput::ReportOutput(std::string json_path, std::ostream& out, std::ostream& err)
    : json_path_(std::move(json_path)), out_(out), text_(json_path_ == "-" ? err : out) {
  if (!json_path_.empty() && json_path_ != "-") {
    check_replaceable(json_path_);
  }
}

void ReportOutput::write_json(const std::string& json) const {
  if (json_path_.empty()) {
    return;
  }
  if (json_path_ != "-") {
    replace_file(json_path_, json);
    return;
  }
  out_ << json;
  out_.flush();
  if (!out_) {
    throw FileError("standard output: cannot be written");
  }
}

}  // namespace reprise::cli
