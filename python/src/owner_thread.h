// SPDX-License-Identifier: Apache-2.0
// OwnerThread: the thread that entered a scope, which has to leave it too.
#pragma once

#include <stdexcept>
#include <string>
#include <thread>

namespace reprise::python {

class OwnerThread {
 public:
  bool is_here() const { return id_ == std::this_thread::get_id(); }
  // Throws std::logic_error that begins with `place`.
  void require_here(const std::string& place) const {
    if (!is_here()) {
      throw std::logic_error(place + ": expected to be left on the thread that entered it");
    }
  }

 private:
  std::thread::id id_ = std::this_thread::get_id();
};

}  // namespace reprise::python
