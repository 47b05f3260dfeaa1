// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/engine_watch.h"

#include <memory>

#include "reprise/tape/backward_end.h"

namespace reprise::profile {
namespace {

// Scope state of this thread, changed by an EngineWatch alone: nodes may run backwards themselves.
thread_local int nodes_under_way = 0;

std::unique_ptr<at::ObserverContext> begin_node(const at::RecordFunction& /*node*/) {
  ++nodes_under_way;
  return nullptr;
}

void end_node(const at::RecordFunction& /*node*/, at::ObserverContext* /*context*/) {
  --nodes_under_way;
}

}  // namespace

EngineWatch::EngineWatch()
    : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(&begin_node, &end_node)
                                             .scopes({at::RecordScope::BACKWARD_FUNCTION}))) {}

EngineWatch::~EngineWatch() { at::removeCallback(handle_); }

bool EngineWatch::is_between_nodes() {
  return nodes_under_way == 0 && tape::current_backward() != tape::kNoBackward;
}

}  // namespace reprise::profile
