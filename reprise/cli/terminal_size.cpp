// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/terminal_size.h"

#include <sys/ioctl.h>

namespace reprise::cli {

std::int64_t terminal_width(int descriptor) {
  constexpr std::int64_t plain_width = 120;
  winsize size = {};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1
                                                                      : plain_width;
}

}  // namespace reprise::cli
