// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/terminal.h"

#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace reprise::cli {
namespace {

constexpr std::int64_t kPlainWidth = 120;

std::int64_t terminal_width() {
  winsize size = {};
  // One column less: a full last column would wrap in some terminals.
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1
                                                                         : kPlainWidth;
}

}  // namespace

TrainingProgress::TrainingProgress(std::ostream& err)
    : bar_(err, isatty(STDERR_FILENO) == 1, terminal_width()) {}

void TrainingProgress::show(Progress progress) {
  const double now_s = clock_.wall_ms() / 1e3;
  if (first_done_ < 0) {
    first_done_ = progress.done - 1;
  }
  const auto done_here = static_cast<double>(progress.done - first_done_);
  progress.left_s = now_s / done_here * static_cast<double>(progress.total - progress.done);
  bar_.show(progress, now_s);
}

}  // namespace reprise::cli
