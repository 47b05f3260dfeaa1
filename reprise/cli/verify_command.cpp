// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/verify_command.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "reprise/cli/budget_policy.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/freed_memory.h"
#include "reprise/cli/model_state.h"
#include "reprise/cli/number_text.h"
#include "reprise/cli/step_times.h"
#include "reprise/cli/stop_request.h"
#include "reprise/cli/terminal.h"
#include "reprise/cli/text_table.h"
#include "reprise/cli/train_setup.h"
#include "reprise/cli/training_budget.h"
#include "reprise/memory.h"

namespace reprise::cli {
namespace {

struct ParameterState {
  std::string name;
  at::Tensor gradient;  // of the last step, before clipping; undefined if there was none
  at::Tensor value;
};

// What training leaves, copied.
struct FinalState {
  std::string model;  // its description
  std::int64_t elements = 0;
  std::vector<ParameterState> parameters;
  std::vector<std::pair<std::string, at::Tensor>> buffers;
  at::Tensor generator;
  BudgetReport report;
};

std::vector<ParameterState> gradients_of(const zoo::Model& model) {
  std::vector<ParameterState> parameters;
  for (const auto& item : model.named_parameters()) {
    const at::Tensor& gradient = item.value().grad();
    parameters.push_back({.name = item.key(),
                          .gradient = gradient.defined() ? gradient.clone() : gradient,
                          .value = {}});
  }
  return parameters;
}

// Steps of one of the two runs.
class Run {
 public:
  Run(const TrainSetup& setup, bool is_paranoid, const StopRequest& stop,
      TrainingProgress& progress)
      : setup_(setup), is_paranoid_(is_paranoid), stop_(stop), progress_(progress) {}

  FinalState train(const std::string& label, const std::optional<BudgetPolicy>& policy) {
    Trainer trainer = setup_.make_trainer();
    if (policy) {
      trainer.set_budget(make_budget(*policy, {.checks_ops = is_paranoid_}));
    }
    FinalState state;
    with_refusals(policy, "--budget", [&] {
      for (std::int64_t step = 0; step < setup_.steps; ++step) {
        take(trainer, label, step, state);
      }
    });
    finish(trainer, state);
    return state;
  }

 private:
  void take(Trainer& trainer, const std::string& label, std::int64_t step, FinalState& state) {
    const bool is_last = step + 1 == setup_.steps;
    const StepResult result = trainer.step(setup_.step_batches(step), [&] {
      if (is_last) {
        state.parameters = gradients_of(trainer.model());
      }
    });
    progress_.show({.label = label,
                    .done = ++done_,
                    .total = 2 * setup_.steps,
                    .loss = result.loss,
                    .rate = items_per_second(setup_, result.wall_ms),
                    .rate_unit = setup_.data->item() + "/s",
                    .peak_bytes = result.peak_bytes});
    if (stop_.is_made() && done_ < 2 * setup_.steps) {
      progress_.finish();
      throw Interrupted("interrupted; nothing is verified");
    }
  }

  static void finish(Trainer& trainer, FinalState& state) {
    state.model = trainer.model().description();
    state.elements = parameter_count(trainer.model());
    for (ParameterState& parameter : state.parameters) {
      parameter.value = trainer.model().named_parameters()[parameter.name].detach().clone();
    }
    for (const auto& item : trainer.model().named_buffers()) {
      state.buffers.emplace_back(item.key(), item.value().clone());
    }
    state.generator = trainer.generator_state().clone();
    if (trainer.budget()) {
      state.report = trainer.budget()->report();
    }
  }

  const TrainSetup& setup_;
  bool is_paranoid_;
  const StopRequest& stop_;
  TrainingProgress& progress_;
  std::int64_t done_ = 0;
};

struct Comparison {
  std::string text;
  std::string first_difference;  // "": none
};

void note(const std::string& what, std::uint64_t difference, Comparison& comparison) {
  if (difference > 0 && comparison.first_difference.empty()) {
    comparison.first_difference = what;
  }
}

std::string ulp_text(std::uint64_t ulp) {
  return grouped_text(static_cast<std::int64_t>(std::min<std::uint64_t>(ulp, INT64_MAX)));
}

// REQUIRES: both runs are of the same model.
Comparison compare(const FinalState& left, const FinalState& right) {
  Comparison comparison;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < left.parameters.size(); ++i) {
    const ParameterState& mine = left.parameters[i];
    const ParameterState& others = right.parameters[i];
    const std::uint64_t of_gradient = largest_difference(mine.gradient, others.gradient);
    const std::uint64_t of_value = largest_difference(mine.value, others.value);
    note("the gradient of " + mine.name, of_gradient, comparison);
    note("the parameter " + mine.name, of_value, comparison);
    rows.push_back(
        {mine.name, mine.gradient.defined() ? ulp_text(of_gradient) : "-", ulp_text(of_value)});
  }
  for (std::size_t i = 0; i < left.buffers.size(); ++i) {
    const auto& [name, tensor] = left.buffers[i];
    const std::uint64_t difference = largest_difference(tensor, right.buffers[i].second);
    note("the buffer " + name, difference, comparison);
    rows.push_back({name + " (buffer)", "-", ulp_text(difference)});
  }
  const bool is_same_generator = is_bitwise_equal(left.generator, right.generator);
  note("the state of the random generator", is_same_generator ? 0 : 1, comparison);
  comparison.text =
      table_text({{"largest difference in ulp", false}, {"gradient"}, {"value"}}, rows) +
      "state of the random generator: " + (is_same_generator ? "equal\n" : "DIFFERENT\n");
  return comparison;
}

std::string plan_text(const BudgetReport& report) {
  std::string text = std::to_string(report.planned_passes) + " of " +
                     std::to_string(report.passes) + " passes by plan, in the last " +
                     grouped_text(report.last.replayed_ops) + " ops recomputed; peak " +
                     bytes_text(report.last.peak_bytes);
  if (report.last.predicted_peak_bytes > 0) {
    text += ", predicted " + bytes_text(report.last.predicted_peak_bytes) +
            ", with everything kept " + bytes_text(report.last.keep_all_peak_bytes);
  }
  return text + "\n";
}

}  // namespace

void run_verify(const OptionValues& values, std::ostream& out, std::ostream& err) {
  // Before the first tensor, so that all that is alive is known.
  count_memory();
  keep_freed_memory_unless_set();
  const std::string given = text_of_budget(values);
  const std::string policy = given.empty() ? "budget=" + values.text("budget") : given;
  const std::optional<BudgetPolicy> budget = read_budget_policy(policy, "--budget");
  const TrainSetup setup = make_setup(values);

  const StopRequest stop;
  TrainingProgress progress(err);
  const bool is_paranoid = values.flag("paranoid");
  Run run(setup, is_paranoid, stop, progress);
  // First: a budget in bytes is for all that is alive, and the other's copies would be.
  const FinalState within = [&] {
    try {
      return run.train(policy, budget);
    } catch (const OpMismatch& mismatch) {
      progress.finish();
      throw CheckError(mismatch.what());
    }
  }();
  const FinalState plain = run.train("plain", std::nullopt);
  progress.finish();

  const Comparison comparison = compare(within, plain);
  out << within.model << "; " << grouped_text(within.elements) << " parameters\n"
      << "data: " << setup.data->description() << "\n"
      << policy << ": " << plan_text(within.report) << "\n"
      << comparison.text;
  if (!comparison.first_difference.empty()) {
    throw CheckError("expected every bit as in plain training, got a difference in " +
                     comparison.first_difference);
  }
  if (within.report.planned_passes == 0) {
    throw CheckError("expected passes that follow a plan, got none: " +
                     within.report.unplanned_because);
  }
  out << "bit-equal after " << setup.steps << " steps: " << within.parameters.size()
      << " parameters and their gradients, " << within.buffers.size()
      << " buffers, the generator\n";
  if (is_paranoid) {
    out << "every op of forward was replayed at once and gave the same bits\n";
  }
}

}  // namespace reprise::cli
