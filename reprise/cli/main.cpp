// SPDX-License-Identifier: Apache-2.0
// The program `reprise`: runs the command that the command line names and turns errors into one
// line on standard error and an exit code.
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "reprise/cli/command_line.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/estimate_command.h"
#include "reprise/cli/frontier_command.h"
#include "reprise/cli/generate_command.h"
#include "reprise/cli/help.h"
#include "reprise/cli/options.h"
#include "reprise/cli/plan_command.h"
#include "reprise/cli/planners_command.h"
#include "reprise/cli/printable_text.h"
#include "reprise/cli/simulate_command.h"
#include "reprise/cli/training_part.h"
#include "reprise/plan/format_error.h"

namespace reprise::cli {
namespace {

void run(const CommandLine& line) {
  const CommandTable& table = command_table();
  if (line.wants_help) {
    std::cout << (line.command.empty() ? program_help(table) : command_help(table, line.command));
  } else if (line.wants_version) {
    std::cout << "reprise " REPRISE_VERSION ", " << libtorch_text() << "\n";
  } else if (line.command == "train") {
    run_training(*line.values, std::cout, std::cerr);
  } else if (line.command == "verify") {
    run_verification(*line.values, std::cout, std::cerr);
  } else if (line.command == "estimate") {
    run_estimate(*line.values, std::cout, std::cerr);
  } else if (line.command == "plan") {
    run_plan(*line.values, &program_of_model, std::cout, std::cerr);
  } else if (line.command == "simulate") {
    run_simulate(*line.values, std::cout, std::cerr);
  } else if (line.command == "compare") {
    run_compare(*line.values, std::cout, std::cerr);
  } else if (line.command == "generate") {
    run_generate(*line.values, std::cout, std::cerr);
  } else if (line.command == "planners") {
    std::cout << planners_text();
  } else {
    std::cout << markdown_help(table);
  }
  std::cout.flush();
  if (!std::cout) {
    throw FileError("standard output: cannot be written");
  }
}

int complain(const std::string& command, const std::string& what, ExitCode code) {
  std::cerr << "reprise" << (command.empty() ? "" : " ") << command << ": " << printable_line(what)
            << "\n";
  return code;
}

// Of libtorch's messages only the first line is for people; the rest is a backtrace.
std::string failure_text(const std::exception& error) {
  const std::string what = libtorch_error_text(error).value_or(error.what());
  return what.substr(0, what.find('\n'));
}

int run_words(const std::vector<std::string>& words) {
  std::string command = command_of(command_table(), words);
  try {
    const CommandLine line = parse_command_line(command_table(), words);
    command = line.command;
    run(line);
    return kSuccess;
  } catch (const UsageError& error) {
    return complain(command, error.what(), kUsage);
  } catch (const FileError& error) {
    return complain(command, error.what(), kBadFile);
  } catch (const FormatError& error) {
    return complain(command, error.what(), kBadFile);
  } catch (const CheckError& error) {
    return complain(command, error.what(), kCheckFailed);
  } catch (const BudgetError& error) {
    return complain(command, error.what(), kOverBudget);
  } catch (const Interrupted& error) {
    return complain(command, error.what(), kInterrupted);
  } catch (const std::invalid_argument& error) {
    return complain(command, error.what(), kUsage);
  } catch (const std::bad_alloc&) {
    return complain(command, "not enough memory", kFailure);
  } catch (const std::exception& error) {
    return complain(command, failure_text(error), kFailure);
  }
}

}  // namespace
}  // namespace reprise::cli

int main(int count, char** words) {
  return reprise::cli::run_words(std::vector<std::string>(words + 1, words + count));
}
