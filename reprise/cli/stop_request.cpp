// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/stop_request.h"

#include <csignal>

namespace reprise::cli {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t is_stop_requested = 0;

void request_stop(int /*signal*/) { is_stop_requested = 1; }

// Returns how the signal was handled before.
struct sigaction take_over(int signal) {
  struct sigaction old = {};
  sigaction(signal, nullptr, &old);
  if (old.sa_handler != SIG_IGN) {
    struct sigaction action = {};
    action.sa_handler = request_stop;
    // A second signal is not caught. A write that the first one interrupts goes on.
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
  return old;
}

}  // namespace

StopRequest::StopRequest() {
  is_stop_requested = 0;
  old_interrupt_ = take_over(SIGINT);
  old_terminate_ = take_over(SIGTERM);
}

StopRequest::~StopRequest() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

// Asks an object, though the flag is the process's: without one nobody listens.
// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
bool StopRequest::is_made() const { return is_stop_requested != 0; }

}  // namespace reprise::cli
