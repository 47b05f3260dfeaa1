// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/stop_request.h"

#include <csignal>

namespace reprise::cli {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t is_stop_requested = 0;

void request_stop(int /*signal*/) { is_stop_requested = 1; }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  // A second signal is not caught. A write that the first one interrupts goes on.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

StopRequest::StopRequest() {
  is_stop_requested = 0;
  handle(SIGINT, request_stop);
  handle(SIGTERM, request_stop);
}

StopRequest::~StopRequest() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

bool StopRequest::is_made() const { return is_stop_requested != 0; }

}  // namespace reprise::cli
