// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/errors.h"

namespace reprise::cli {

std::string exit_code_text() {
  return "  0    success\n"
         "  1    an error of libtorch, the system or this program\n"
         "  2    an option, or a combination of options, is wrong\n"
         "  3    a file cannot be read or written, or is not what it should be\n"
         "  4    a run did not pass its own check: a policy or a budget was not bit-equal\n"
         "  5    a budget is too small: no plan needs as little memory\n"
         "  130  interrupted (Ctrl-C or SIGTERM): train --save has saved the state after the last "
         "step,\n"
         "       plan and compare have written the best that was found until then\n";
}

}  // namespace reprise::cli
