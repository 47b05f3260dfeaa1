// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/plan_command.h"

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "reprise/cli/amounts.h"
#include "reprise/cli/argument_names.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/model_options.h"
#include "reprise/cli/number_text.h"
#include "reprise/cli/plan_files.h"
#include "reprise/cli/plan_report.h"
#include "reprise/cli/plan_request.h"
#include "reprise/cli/report_output.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/serialize.h"
#include "reprise/plan/shortened.h"
#include "reprise/plan/simulate.h"

namespace reprise::cli {
namespace {

// Mean something with --model only.
std::vector<std::string> model_only_options() {
  std::vector<std::string> names = {"save-program"};
  for (const OptionRecord& option : planned_model_options()) {
    if (option.name != "model") {
      names.push_back(option.name);
    }
  }
  return names;
}

// What a planner's record calls its options, and what they are called here.
ArgumentNames option_names(const plan::PlannerRecord& planner) {
  ArgumentNames names = {{"an option of planner " + planner.name, "--option of " + planner.name}};
  for (const plan::PlannerOption& option : planner.options) {
    names["option " + option.name + " of planner " + planner.name] =
        "--option " + option.name + " of " + planner.name;
  }
  return names;
}

// --option, each a value that the planner takes.
std::map<std::string, std::string> planner_options(const OptionValues& values,
                                                   const std::string& planner) {
  plan::PlanRequest request;
  std::map<std::string, std::string>& options = request.options;
  for (const std::string& text : values.texts("option")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--option: expected NAME=VALUE, got " + in_quotes(text));
    }
    if (!options.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      throw UsageError("--option: expected each name once, got " +
                       in_quotes(text.substr(0, equals)) + " twice");
    }
  }
  const plan::PlannerRecord& record = plan::find_planner(planner);
  with_names(option_names(record), [&] { plan::require_known_options(record, request, "plan"); });
  return options;
}

// The fastest schedule at the smallest budget that the planner meets. The planner names that budget
// when it is asked for less; then it is asked again for exactly that much, unless it was stopped.
// Each has half of the time.
plan::PlanResult plan_minimum(const plan::Program& program, const std::string& planner,
                              plan::PlanRequest request) {
  request.budget_bytes = plan::peak_floor(program).bytes;
  request.time_limit_s /= 2;
  plan::PlanResult lowest = plan::make_plan(program, planner, request);
  if (lowest.schedule || !lowest.minimum) {
    return lowest;
  }
  request.budget_bytes = lowest.minimum->budget_bytes;
  plan::PlanResult result =
      lowest.is_cancelled ? lowest : plan::make_plan(program, planner, request);
  if (result.schedule) {
    return result;
  }
  result.budget_bytes = request.budget_bytes;
  // It had a schedule of that peak: no second search can take it away.
  const plan::Simulation known = plan::simulate(program, lowest.minimum->schedule);
  plan::set_plan(program, std::move(lowest.minimum->schedule), known, result);
  return result;
}

// Either a program or a model is planned.
void check_source(const OptionValues& values) {
  const std::string& file = values.text("program");
  const std::string& model = values.text("model");
  if (file.empty() && model.empty()) {
    throw UsageError("PROGRAM: expected a file, or --model, got none (see 'reprise plan --help')");
  }
  if (!file.empty() && !model.empty()) {
    throw UsageError("--model: expected no PROGRAM beside it, got " + in_quotes(file));
  }
  for (const std::string& name : model_only_options()) {
    if (model.empty() && values.is_given(name)) {
      throw UsageError("--" + name + ": expected together with --model, got " +
                       in_quotes(values.text(name)) + " with PROGRAM " + in_quotes(file));
    }
  }
}

void load(const OptionValues& values, ModelProgram program_of_model, PlanReport& report) {
  if (values.text("model").empty()) {
    report.program = load_program(values.text("program"));
    return;
  }
  EstimatedProgram estimated = program_of_model(values);
  report.program = std::move(estimated.program);
  report.model = estimated.model;
}

// Where no plan fits because of what is made in any case.
std::string gradients_hint(const PlanReport& report) {
  if (!report.model || report.model->made_gradient_bytes < report.result.budget_bytes) {
    return "";
  }
  return "; " + bytes_text(report.model->made_gradient_bytes) +
         " of that are gradients (--gradients there: they are not made in the step)";
}

}  // namespace

void run_plan(const OptionValues& values, ModelProgram program_of_model, std::ostream& out,
              std::ostream& err) {
  check_source(values);
  const ReportOutput output(values, {"out", "json", "save-program"}, {"program"}, out, err);
  const std::string planner = values.text("planner");
  require_planner(planner, "--planner");
  const Budget budget = parse_budget(values.text("budget"), "--budget");
  plan::PlanRequest request = plan_request(values, planner, {planner});
  request.options = planner_options(values, planner);

  PlanReport report;
  load(values, program_of_model, report);
  if (output.is_asked_for("save-program")) {
    output.write("save-program", plan::write_program(report.program));
  }
  PlanWatch watch(err);
  report.keep_all_peak_bytes = plan::simulate_keep_all(report.program).peak_bytes;
  request.on_progress = [&](const plan::PlanProgress& progress) {
    return watch.show("plan", progress, 0, 1);
  };
  const double begin_s = watch.seconds();
  ArgumentNames names = option_names(plan::find_planner(planner));
  names["planner"] = "--planner";
  report.result = with_names(names, [&] {
    if (budget.kind == Budget::Kind::kMinimum) {
      return plan_minimum(report.program, planner, request);
    }
    request.budget_bytes = budget_bytes(budget, report.keep_all_peak_bytes);
    return plan::make_plan(report.program, planner, request);
  });
  report.seconds = watch.seconds() - begin_s;
  watch.finish();

  output.write("json", plan_json(report));
  if (!report.result.schedule) {
    if (watch.is_stopped()) {
      throw Interrupted("stopped before a plan within the budget was found");
    }
    throw BudgetError(refusal_text(report, "--budget", budget.text) + gradients_hint(report));
  }
  output.write("out", plan::write_schedule(*report.result.schedule));
  output.text() << plan_text(report);
  if (watch.is_stopped()) {
    throw Interrupted("stopped: the plan is the best that was found until then");
  }
}

}  // namespace reprise::cli
