// SPDX-License-Identifier: Apache-2.0
// What the table of planners (planners.h) says about one of them: enough for parsing, help and
// docs.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reprise/plan/planner.h"
#include "reprise/plan/program.h"

namespace reprise::plan {

enum class OptionKind {
  kInteger,  // within [minimum, maximum]
  kNumber,   // within [minimum, maximum]
  kChoice,   // one of `choices`
  kNames,    // separated by commas, none empty
};

struct PlannerOption {
  std::string name;
  std::string help;  // one line
  OptionKind kind = OptionKind::kInteger;
  std::string default_text;  // what happens if it is not given: a value, or words for people
  double minimum = 0;
  double maximum = std::numeric_limits<std::int32_t>::max();
  std::vector<std::string> choices = {};
};

struct PlannerRecord {
  std::string name;
  std::string help;  // one line
  std::vector<PlannerOption> options;
  bool is_exact = false;  // no schedule within the budget is faster than its answer
  // Why the planner cannot take this program; nothing if it can. nullptr: it takes every program.
  std::optional<std::string> (*applies)(const Program& program) = nullptr;
  // Throws ArgumentError, beginning with `place`, for options that do not suit this program.
  // nullptr: all do that are known.
  void (*require_options)(const Program& program, const PlanRequest& request,
                          const std::string& place) = nullptr;
  std::unique_ptr<Planner> (*make)() = nullptr;
};

// The record of a planner class that takes every program.
template <class SomePlanner>
PlannerRecord record_of(std::string name, std::string help,
                        std::vector<PlannerOption> options = {}) {
  PlannerRecord record;
  record.name = std::move(name);
  record.help = std::move(help);
  record.options = std::move(options);
  record.make = []() -> std::unique_ptr<Planner> { return std::make_unique<SomePlanner>(); };
  return record;
}

// The option's value, if the request has it. REQUIRES: the request's options were checked against
// the planner's record, which make_plan() does.
std::optional<std::int64_t> integer_option(const PlanRequest& request, const std::string& name);
std::optional<double> number_option(const PlanRequest& request, const std::string& name);
std::optional<std::string> choice_option(const PlanRequest& request, const std::string& name);
std::vector<std::string> names_option(const PlanRequest& request, const std::string& name);

// Throws std::invalid_argument, beginning with `place`, for an option that the record does not have
// or a value that it does not allow; the message lists what it would take.
void require_known_options(const PlannerRecord& record, const PlanRequest& request,
                           const std::string& place);

}  // namespace reprise::plan
