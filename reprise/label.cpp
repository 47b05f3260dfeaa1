// SPDX-License-Identifier: Apache-2.0
#include "reprise/label.h"

#include "reprise/tape/label_stack.h"

namespace reprise {

Label::Label(const std::string& name) { tape::push_label(name); }
Label::~Label() { tape::pop_label(); }

}  // namespace reprise
