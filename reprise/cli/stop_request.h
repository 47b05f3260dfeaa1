// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT) and SIGTERM as a request: the step that runs is finished first.
#pragma once

namespace reprise::cli {

// While one exists, the first signal only sets a flag; a second one ends the process as usual.
// At most one exists at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool is_made() const;
};

}  // namespace reprise::cli
