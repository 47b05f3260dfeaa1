// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/raise.h"

#include <atomic>

namespace reprise::tape {
namespace {

// A mutable global, against house rule 22: which language the process speaks is a fact about it.
std::atomic<ErrorTranslator> present_translator{nullptr};

}  // namespace

void set_error_translator(ErrorTranslator translator) { present_translator = translator; }

void translate(const std::exception& error) {
  if (const ErrorTranslator translator = present_translator) {
    translator(error);
  }
}

}  // namespace reprise::tape
