// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/train_command.h"

#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "reprise/cli/budget_policy.h"
#include "reprise/cli/carried_options.h"
#include "reprise/cli/compare.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/freed_memory.h"
#include "reprise/cli/model_state.h"
#include "reprise/cli/number_text.h"
#include "reprise/cli/report_output.h"
#include "reprise/cli/sample_text.h"
#include "reprise/cli/stop_request.h"
#include "reprise/cli/terminal.h"
#include "reprise/cli/train_setup.h"
#include "reprise/cli/training.h"
#include "reprise/memory.h"
#include "reprise/plan/serialize.h"
#include "reprise/tape/region_options.h"

namespace reprise::cli {
namespace {

void check_combinations(const OptionValues& values) {
  for (const char* name :
       {"policy", "save", "resume", "save-every", "save-program", "save-schedule"}) {
    refuse_together(values, name, "compare");
  }
  if (values.is_given("save-every") && !values.is_given("save") && !values.is_given("resume")) {
    throw UsageError("--save-every: expected together with --save FILE, got alone");
  }
  check_policy_option("policy", values.text("policy"));
}

RunReport new_report(const OptionValues& values, const TrainSetup& setup) {
  RunReport report;
  report.version = REPRISE_VERSION;
  report.data = setup.data->description();
  report.is_synthetic = setup.data->is_synthetic();
  report.seed = values.integer("seed");
  report.steps = setup.steps;
  report.warmup_steps = setup.warmup_steps;
  report.threads = setup.threads;
  report.unit = setup.data->item();
  report.options = carried_options(values);
  return report;
}

std::string heading(const RunReport& report) {
  return report.model + "; " + grouped_text(report.parameters) + " parameters\n" +
         "data: " + report.data + "\n";
}

void compare(const OptionValues& values, const ReportOutput& output, std::ostream& err) {
  const std::vector<std::string> policies = compared_policies(values.text("compare"));
  const TrainSetup setup = make_train_setup(values);
  RunReport report = new_report(values, setup);
  report.options.erase("policy");
  {
    Trainer trainer = setup.make_trainer();
    report.model = trainer.model().description();
    report.parameters = parameter_count(trainer.model());
  }

  const StopRequest stop;
  bool has_begun = false;
  TrainingProgress progress(err);
  report.runs = compare_policies(
      setup, policies,
      [&](const std::string& label, std::int64_t done, std::int64_t total,
          const StepResult& result) {
        // Not sooner: a policy that the model cannot take is refused in one line.
        if (!std::exchange(has_begun, true)) {
          output.text() << heading(report) << std::flush;
        }
        progress.show({.label = label,
                       .done = done,
                       .total = total,
                       .loss = result.loss,
                       .rate = items_per_second(setup, result.wall_ms),
                       .rate_unit = report.unit + "/s",
                       .peak_bytes = result.peak_bytes});
        if (stop.is_made() && done < total) {
          progress.finish();
          throw Interrupted("interrupted during the comparison; there is no result");
        }
      });
  progress.finish();
  output.write("json", run_json(report));
  output.text() << "\n" << strip_text(report);
  for (const RunRecord& run : report.runs) {
    if (!*run.bit_equal) {
      throw CheckError("--compare: expected every policy to end bit-equal to none, got '" +
                       run.policy + "', which differs");
    }
  }
}

// --save-program and --save-schedule.
void check_pass_is_recorded(const ReportOutput& output, Trainer& trainer) {
  for (const char* name : {"save-program", "save-schedule"}) {
    if (output.is_asked_for(name) && !trainer.budget()) {
      throw UsageError("--" + std::string(name) +
                       ": expected together with --budget, --overhead or --schedule, got alone");
    }
  }
}

void write_pass(const ReportOutput& output, const std::string& model, MemoryBudget& budget) {
  const auto require = [&](const std::string& name, bool is_there, const std::string& what) {
    if (output.is_asked_for(name) && !is_there) {
      const std::string& why = budget.report().unplanned_because;
      throw UsageError("--" + name + ": expected steps of which one is " + what + ", got " +
                       std::to_string(budget.report().steps) + (why.empty() ? "" : ": " + why));
    }
  };
  std::optional<plan::Program> program = budget.program();
  const std::optional<plan::Schedule> schedule = budget.schedule();
  require("save-program", program.has_value(), "recorded");
  require("save-schedule", schedule.has_value(), "planned (the second)");
  if (program) {
    program->name = model;
    output.write("save-program", plan::write_program(*program));
  }
  if (schedule) {
    output.write("save-schedule", plan::write_schedule(*schedule));
  }
}

void train(const OptionValues& values, const ReportOutput& output, std::ostream& err) {
  Training training(values);
  check_pass_is_recorded(output, training.trainer());
  RunReport report = new_report(training.values(), training.setup());
  report.model = training.trainer().model().description();
  report.parameters = parameter_count(training.trainer().model());
  output.text() << heading(report);
  if (training.steps_done() > 0) {
    output.text() << "resumed after step " << training.steps_done() << "\n";
  }
  output.text() << std::flush;

  RunRecord record = training.run(err);
  const auto held_out = training.setup().held_out_batches();
  if (!held_out.empty()) {
    record.validation_loss = training.trainer().evaluate(held_out);
  }
  report.runs = {record};
  output.write("json", run_json(report));
  if (auto& budget = training.trainer().budget()) {
    write_pass(output, training.values().text("model"), *budget);
  }
  output.text() << "\n" << strip_text(report);
  if (record.validation_loss) {
    output.text() << "validation loss " << fixed_text(*record.validation_loss, 4) << " over "
                  << held_out.size() << (held_out.size() == 1 ? " batch\n" : " batches\n");
  }
  output.text() << "parameters and buffers: crc32 " << record.state_crc32 << "\n"
                << sample_text(training.trainer().model(), training.setup(),
                               training.values().integer("sample"));
}

}  // namespace

void run_train(const OptionValues& given, std::ostream& out, std::ostream& err) {
  // Before the first tensor, so that all that is alive is known.
  count_memory();
  keep_freed_memory_unless_set();
  OptionValues values = given;
  set_budget_policy(values);
  check_combinations(values);
  const ReportOutput output(values, {"json", "save-program", "save-schedule"}, {"schedule"}, out,
                            err);
  tape::set_default_recompute(values.text("recompute") == "rerun" ? tape::Recompute::kRerun
                                                                  : tape::Recompute::kReplay);
  if (values.is_given("compare")) {
    compare(values, output, err);
  } else {
    train(values, output, err);
  }
}

}  // namespace reprise::cli
