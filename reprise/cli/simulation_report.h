// SPDX-License-Identifier: Apache-2.0
// What `reprise simulate` found out: as text, as "reprise.simulation" JSON and as CSV.
#pragma once

#include <cstdint>
#include <string>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/plan/simulate.h"

namespace reprise::cli {

// Fields: docs/file_formats.md, "reprise.simulation".
struct SimulationReport {
  plan::Program program;
  plan::Schedule schedule;
  plan::Simulation simulation;
  std::int64_t keep_all_peak_bytes = 0;
  std::int64_t floor_bytes = 0;
};

// Verdict, and the largest values at the peak.
std::string simulation_text(const SimulationReport& report);
std::string simulation_json(const SimulationReport& report);

// One line per slot, a header first; fields with a comma or a quote are quoted.
std::string timeline_csv(const SimulationReport& report);

}  // namespace reprise::cli
