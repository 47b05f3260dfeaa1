// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/report_output.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <system_error>

#include "reprise/cli/errors.h"
#include "reprise/cli/file_bytes.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardOutput = "-";

// A device takes what several write.
bool is_same_file(const std::string& left, const std::string& right) {
  std::error_code error;
  if (left == kStandardOutput || right == kStandardOutput) {
    return left == right;
  }
  if (fs::exists(left, error) && !fs::is_regular_file(left, error)) {
    return false;
  }
  return fs::absolute(left).lexically_normal() == fs::absolute(right).lexically_normal() ||
         fs::equivalent(left, right, error);
}

std::map<std::string, std::string> paths_of(const OptionValues& values,
                                            const std::vector<std::string>& options) {
  std::map<std::string, std::string> paths;
  for (const std::string& option : options) {
    paths[option] = values.text(option);
  }
  return paths;
}

bool is_any_standard_output(const std::map<std::string, std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [](const auto& one) { return one.second == kStandardOutput; });
}

// `outputs` are in the order in which they are asked for.
void check_apart(const std::map<std::string, std::string>& paths,
                 const std::vector<std::string>& outputs, const OptionValues& values,
                 const std::vector<std::string>& inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const std::string& path = paths.at(*output);
    if (path.empty()) {
      continue;
    }
    const auto refuse = [&](const std::string& other) {
      std::ostringstream complaint;
      complaint << "--" << *output << ": expected another file than that of " << other << ", got "
                << in_quotes(path);
      throw UsageError(complaint.str());
    };
    for (auto before = outputs.begin(); before != output; ++before) {
      if (!paths.at(*before).empty() && is_same_file(path, paths.at(*before))) {
        refuse("--" + *before);
      }
    }
    for (const std::string& input : inputs) {
      const std::string& read = values.text(input);
      if (path != kStandardOutput && !read.empty() && is_same_file(path, read)) {
        refuse("the " + input);
      }
    }
  }
}

}  // namespace

ReportOutput::ReportOutput(const OptionValues& values, const std::vector<std::string>& outputs,
                           const std::vector<std::string>& inputs, std::ostream& out,
                           std::ostream& err)
    : paths_(paths_of(values, outputs)),
      out_(out),
      err_(err),
      text_(is_any_standard_output(paths_) ? err : out) {
  check_apart(paths_, outputs, values, inputs);
  for (const auto& [option, path] : paths_) {
    if (!path.empty() && path != kStandardOutput) {
      check_replaceable(path);
    }
  }
}

void ReportOutput::write(const std::string& output, const std::string& bytes) const {
  const std::string& path = paths_.at(output);
  if (path.empty()) {
    return;
  }
  if (path != kStandardOutput) {
    replace_file(path, bytes);
    return;
  }
  out_ << bytes;
  out_.flush();
  if (!out_) {
    throw FileError("standard output: cannot be written");
  }
}

}  // namespace reprise::cli
