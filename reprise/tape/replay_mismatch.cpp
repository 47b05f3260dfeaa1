// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/replay_mismatch.h"

#include <sstream>
#include <utility>

namespace reprise::tape {
namespace {

void append_list(std::ostream& out, const char* title, const std::vector<std::string>& ops) {
  out << "\n" << title << " (" << ops.size() << " ops):";
  for (std::size_t i = 0; i < ops.size(); ++i) {
    out << "\n  " << i << " " << ops[i];
  }
}

std::string message(const MismatchDetails& details) {
  std::ostringstream out;
  out << "checkpoint: region '" << details.region << "': the rerun differs from the first run";
  if (details.position >= 0) {
    out << " at saved value " << details.position << " of " << details.saved_values;
  }
  if (!details.saved_op.empty()) {
    out << " (" << details.saved_op << ")";
  }
  out << ": saved " << details.saved << ", recomputed " << details.recomputed << ".";
  if (!details.first_different_op.empty()) {
    out << " First differing op: " << details.first_different_op << ".";
  }
  out << " A function that changes state of its own must declare it (CheckpointOptions::states) or "
         "ask is_recomputing().";
  if (!details.first_ops.empty() || !details.rerun_ops.empty()) {
    append_list(out, "First run", details.first_ops);
    append_list(out, "Rerun", details.rerun_ops);
  }
  return out.str();
}

}  // namespace

ReplayMismatch::ReplayMismatch(MismatchDetails details)
    : std::runtime_error(message(details)), details_(std::move(details)) {}

}  // namespace reprise::tape
