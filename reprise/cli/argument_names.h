// SPDX-License-Identifier: Apache-2.0
// What the library's arguments are called on the command line, for messages.
#pragma once

#include <map>
#include <string>

#include "reprise/cli/errors.h"
#include "reprise/plan/argument_error.h"

namespace reprise::cli {

// "hidden" is "--dim".
using ArgumentNames = std::map<std::string, std::string>;

// "--dim: expected a multiple of --heads (3), got '10'", and the remark if there is one. An
// argument that is not in `names` keeps its own.
std::string message_in(const ArgumentNames& names, const ArgumentError& error);

// What `work` gives; a complaint of its about an argument becomes a UsageError about the option.
template <class Work>
auto with_names(const ArgumentNames& names, const Work& work) {
  try {
    return work();
  } catch (const ArgumentError& error) {
    throw UsageError(message_in(names, error));
  }
}

}  // namespace reprise::cli
