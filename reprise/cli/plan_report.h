// SPDX-License-Identifier: Apache-2.0
// What `reprise plan` found out, as text and as "reprise.plan" JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reprise/cli/estimated_program.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/program.h"

namespace reprise::cli {

// Fields: docs/file_formats.md, "reprise.plan".
struct PlanReport {
  plan::Program program;
  plan::PlanResult result;
  std::int64_t keep_all_peak_bytes = 0;
  double seconds = 0;  // that planning took
  // Where the program was made of a model.
  std::optional<EstimatedModel> model = {};
};

// Peak, overhead, gap; what was dropped by label and op; the strip. REQUIRES: result.schedule.
std::string plan_text(const PlanReport& report);
std::string plan_json(const PlanReport& report);

// One line: the smallest budget that can be met, and what needs it. REQUIRES: no result.schedule.
std::string refusal_text(const PlanReport& report, const std::string& option,
                         const std::string& budget);

}  // namespace reprise::cli
