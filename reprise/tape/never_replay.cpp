// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/never_replay.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>

#include <ATen/core/dispatch/Dispatcher.h>

namespace reprise::tape {
namespace {

struct Declared {
  std::mutex mutex;
  std::set<std::string, std::less<>> ops;
  std::atomic<int> calls{0};
};

Declared& declared() {
  static Declared instance;
  return instance;
}

}  // namespace

void never_replay(const std::string& op) {
  const auto all = c10::Dispatcher::singleton().getAllOpNames();
  if (std::none_of(all.begin(), all.end(),
                   [&](const c10::OperatorName& each) { return each.name == op; })) {
    throw std::invalid_argument(
        "never_replay: expected the name of a registered operator, like my_ops::send; got '" + op +
        "'");
  }
  const std::lock_guard lock(declared().mutex);
  declared().ops.insert(op);
  ++declared().calls;
}

bool is_declared_once(std::string_view op) {
  const std::lock_guard lock(declared().mutex);
  return declared().ops.contains(op);
}

int never_replay_calls() { return declared().calls; }

}  // namespace reprise::tape
