// SPDX-License-Identifier: Apache-2.0
// What `reprise compare` found out: the frontier of every planner, as a table, as
// "reprise.frontier" JSON and as CSV.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/planners.h"
#include "reprise/plan/program.h"

namespace reprise::cli {

struct PlannerFrontier {
  std::string planner = {};
  std::vector<plan::PlanResult> results = {};  // one per budget; none if it does not apply
  double seconds = 0;                          // for all budgets together
  std::string why_not = {};                    // why it does not apply
};

// Fields: docs/file_formats.md, "reprise.frontier".
struct FrontierReport {
  plan::Program program;
  std::int64_t keep_all_peak_bytes = 0;
  std::int64_t floor_bytes = 0;
  std::vector<std::int64_t> budgets = {};
  std::vector<std::optional<double>> bounds_us = {};  // per budget: recompute_bound.h
  std::vector<PlannerFrontier> planners = {};
  bool is_stopped = false;  // before every planner was asked for every budget
};

std::string frontier_text(const FrontierReport& report);
std::string frontier_json(const FrontierReport& report);
std::string frontier_csv(const FrontierReport& report);

}  // namespace reprise::cli
