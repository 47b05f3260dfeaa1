// SPDX-License-Identifier: Apache-2.0
// What a process forgets that another one has forked.
#pragma once

namespace reprise::tape {

// `forget` is called in every child that is forked from now on, by its only thread, which is a copy
// of the one that forked. For scope state of threads: the scopes go on in the parent. Returns true,
// so that it can initialise a static.
bool call_in_forked_child(void (*forget)());

}  // namespace reprise::tape
