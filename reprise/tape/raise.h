// SPDX-License-Identifier: Apache-2.0
// raise(error): throws an error out of an op or out of backward, as the process wants it.
//
// Such errors cross libtorch on their way to the user. C++ passes them on as they are; Python's
// bindings of torch turn what they do not know into a RuntimeError, so a binding of ours has to
// throw what they know.
#pragma once

#include <exception>

namespace reprise::tape {

// Throws in place of `error`, or returns if it has nothing better.
using ErrorTranslator = void (*)(const std::exception& error);

// For the process; to be called before anything is recorded.
void set_error_translator(ErrorTranslator translator);
void translate(const std::exception& error);

template <class Error>
[[noreturn]] void raise(const Error& error) {
  translate(error);
  throw error;
}

}  // namespace reprise::tape
