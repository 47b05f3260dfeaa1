// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/simulate_command.h"

#include <ostream>
#include <string>
#include <vector>

#include <unistd.h>

#include "reprise/cli/plan_files.h"
#include "reprise/cli/report_output.h"
#include "reprise/cli/simulation_report.h"
#include "reprise/cli/terminal_size.h"
#include "reprise/cli/timeline_plot.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/simulate.h"

namespace reprise::cli {
namespace {

std::vector<std::string> inputs_of(const OptionValues& values) {
  return values.text("schedule") == kKeepAll ? std::vector<std::string>{"program"}
                                             : std::vector<std::string>{"program", "schedule"};
}

}  // namespace

void run_simulate(const OptionValues& values, std::ostream& out, std::ostream& err) {
  const ReportOutput output(values, {"csv", "json"}, inputs_of(values), out, err);
  SimulationReport report;
  report.program = load_program(values.text("program"));
  report.schedule = load_schedule(values.text("schedule"), report.program);
  report.simulation = plan::simulate(report.program, report.schedule);
  report.keep_all_peak_bytes = plan::simulate_keep_all(report.program).peak_bytes;
  report.floor_bytes = plan::peak_floor(report.program).bytes;

  if (output.is_asked_for("csv")) {
    output.write("csv", timeline_csv(report));
  }
  output.write("json", simulation_json(report));
  output.text() << simulation_text(report);
  if (values.flag("timeline")) {
    output.text() << "\n"
                  << timeline_plot(report.simulation.timeline,
                                   terminal_width(output.text_goes_to_errors() ? STDERR_FILENO
                                                                               : STDOUT_FILENO));
  }
}

}  // namespace reprise::cli
