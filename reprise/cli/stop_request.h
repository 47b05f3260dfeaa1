// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT) and SIGTERM as a request: the step that runs is finished first.
#pragma once

#include <csignal>

namespace reprise::cli {

// While one exists, the first signal only sets a flag; a second one ends the process as usual. A
// signal that was ignored (by nohup, say) stays so. Afterwards signals are handled as before.
// At most one exists at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool is_made() const;

 private:
  struct sigaction old_interrupt_ = {};
  struct sigaction old_terminate_ = {};
};

}  // namespace reprise::cli
