// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/simulate_command.h"

#include <ostream>
#include <string>

#include <unistd.h>

#include "reprise/cli/file_bytes.h"
#include "reprise/cli/plan_files.h"
#include "reprise/cli/report_output.h"
#include "reprise/cli/simulation_report.h"
#include "reprise/cli/terminal_size.h"
#include "reprise/cli/timeline_plot.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/simulate.h"

namespace reprise::cli {

void run_simulate(const OptionValues& values, std::ostream& out, std::ostream& err) {
  const ReportOutput output(values.text("json"), out, err);
  const std::string csv_path = values.text("csv");
  if (!csv_path.empty()) {
    check_replaceable(csv_path);
  }
  SimulationReport report;
  report.program = load_program(values.text("program"));
  report.schedule = load_schedule(values.text("schedule"), report.program);
  report.simulation = plan::simulate(report.program, report.schedule);
  report.keep_all_peak_bytes = plan::simulate_keep_all(report.program).peak_bytes;
  report.floor_bytes = plan::peak_floor(report.program).bytes;

  output.text() << simulation_text(report);
  if (values.flag("timeline")) {
    const bool goes_to_errors = values.text("json") == "-";
    output.text() << "\n"
                  << timeline_plot(report.simulation.timeline,
                                   terminal_width(goes_to_errors ? STDERR_FILENO : STDOUT_FILENO));
  }
  if (!csv_path.empty()) {
    replace_file(csv_path, timeline_csv(report));
  }
  output.write_json(simulation_json(report));
}

}  // namespace reprise::cli
