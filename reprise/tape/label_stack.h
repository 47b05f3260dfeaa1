// SPDX-License-Identifier: Apache-2.0
// The labels that are open on this thread (label.h).
#pragma once

#include <string>

namespace reprise::tape {

void push_label(const std::string& name);
void pop_label();
// All open labels with dots between; "" if none is.
const std::string& current_label();

}  // namespace reprise::tape
