// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/forked_child.h"

#include <pthread.h>

namespace reprise::tape {

bool call_in_forked_child(void (*forget)()) {
  // Fails only for lack of memory; then a child that forked in the midst of a scope records on.
  pthread_atfork(nullptr, nullptr, forget);
  return true;
}

}  // namespace reprise::tape
