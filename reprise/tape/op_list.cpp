// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_list.h"

#include <algorithm>
#include <utility>

#include <ATen/record_function.h>

namespace reprise::tape {
namespace {

// Scope state of this thread, changed by RecordedOps alone: callbacks carry no data of their own.
thread_local std::vector<RecordedOps*> recorders;

struct OpInRecorders final : at::ObserverContext {
  std::vector<RecordedOps*> entered = recorders;
};

std::unique_ptr<at::ObserverContext> see_start(const at::RecordFunction& function) {
  for (RecordedOps* const recorder : recorders) {
    recorder->enter_op(function.name());
  }
  return std::make_unique<OpInRecorders>();
}

void see_end(const at::RecordFunction& /*function*/, at::ObserverContext* context) {
  for (RecordedOps* const recorder : static_cast<OpInRecorders*>(context)->entered) {
    // A scope may have ended within the op.
    if (std::find(recorders.begin(), recorders.end(), recorder) != recorders.end()) {
      recorder->leave_op();
    }
  }
}

}  // namespace

std::string first_difference(const SeenOps& first, const SeenOps& rerun, bool compare_ends) {
  const auto [a, b] = std::mismatch(first.begin(), first.end(), rerun.begin(), rerun.end());
  const bool is_at_an_end = a == first.end() || b == rerun.end();
  if ((is_at_an_end && !compare_ends) || (a == first.end() && b == rerun.end())) {
    return "";
  }
  return "op " + std::to_string(a - first.begin()) + ": ran " +
         (a == first.end() ? std::string("nothing") : (*a)->name()) + ", then " +
         (b == rerun.end() ? std::string("nothing") : (*b)->name());
}

std::string op_text(const SeenOps& ops, std::int64_t index) {
  if (index < 0 || index >= static_cast<std::int64_t>(ops.size())) {
    return "";
  }
  return "op " + std::to_string(index) + ", " + ops[static_cast<std::size_t>(index)]->name();
}

RecordedOps::RecordedOps(std::vector<std::string>& names) : names_(names) {
  recorders.push_back(this);
  if (recorders.size() == 1) {
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&see_start, &see_end).scopes({at::RecordScope::FUNCTION}));
  }
}

RecordedOps::~RecordedOps() {
  recorders.pop_back();
  if (recorders.empty()) {
    at::removeCallback(handle_);
  }
}

void RecordedOps::enter_op(const char* name) {
  if (depth_++ == 0) {
    names_.emplace_back(name);
  }
}

}  // namespace reprise::tape
