// SPDX-License-Identifier: Apache-2.0
// How a command ends: the exit codes, and the errors that lead to them. Each message is one line.
#pragma once

#include <stdexcept>
#include <string>

namespace reprise::cli {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,       // an error of libtorch, the system or this program
  kUsage = 2,         // an option or a combination of options is wrong
  kBadFile = 3,       // a file cannot be read or written, or is not what it should be
  kCheckFailed = 4,   // a run did not pass its own check: a policy or budget was not bit-equal
  kOverBudget = 5,    // no plan needs as little memory as was asked for
  kInterrupted = 130  // Ctrl-C or SIGTERM: what was asked to be saved is saved
};

// The lines that explain the codes, as in `reprise --help` and docs/command_line.md.
std::string exit_code_text();

// kUsage: "--layers: expected an integer in [1, 1024], got 'many'".
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// kBadFile: a file cannot be written. (One that cannot be read or is not what it should be:
// reprise::FormatError, which is kBadFile too.)
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// kCheckFailed.
class CheckError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// kOverBudget: names the smallest budget that can be met and what needs it.
class BudgetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// kInterrupted: says what was saved.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace reprise::cli
