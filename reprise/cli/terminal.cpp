// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/terminal.h"

#include <utility>

#include <unistd.h>

#include "reprise/cli/terminal_size.h"

namespace reprise::cli {

TrainingProgress::TrainingProgress(std::ostream& err)
    : bar_(err, isatty(STDERR_FILENO) == 1, terminal_width(STDERR_FILENO)) {}

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
