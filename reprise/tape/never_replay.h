// SPDX-License-Identifier: Apache-2.0
// never_replay: ops of the user's that must not run a second time.
#pragma once

#include <string>
#include <string_view>

namespace reprise::tape {

// No region that replays and no step under a budget that begins from now on runs the operator `op`
// ("my_ops::send", all its overloads) again: what it makes is kept. For ops that do more than their
// schema says: write a file, talk to another process, read a clock. Collectives of torch need no
// declaration. For the process; thread-safe.
// Throws std::invalid_argument if no operator has this name.
void never_replay(const std::string& op);

bool is_declared_once(std::string_view op);
// Moves with each call of never_replay().
int never_replay_calls();

}  // namespace reprise::tape
