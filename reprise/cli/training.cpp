// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/training.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <utility>

#include "reprise/cli/carried_options.h"
#include "reprise/cli/checksum.h"
#include "reprise/cli/container.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/file_bytes.h"
#include "reprise/cli/model_state.h"
#include "reprise/cli/saved_run.h"
#include "reprise/cli/stop_request.h"
#include "reprise/cli/terminal.h"
#include "reprise/cli/trainer_state.h"
#include "reprise/cli/training_budget.h"
#include "reprise/plan/format_error.h"

namespace reprise::cli {
namespace {

// A file that is no saved run is never replaced by one.
void check_save_target(const std::string& path) {
  if (path.empty()) {
    return;
  }
  check_replaceable(path);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return;
  }
  std::string start(8, '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), 8);
  if (!is_container(start)) {
    throw FormatError::mismatch(path, "a saved run or no file to save to",
                                "a file of another kind");
  }
}

// Options that were left out become those of the saved run.
OptionValues with_saved_options(OptionValues values, const std::optional<SavedRun>& saved) {
  if (saved) {
    adopt_options(saved->options, values);
  }
  return values;
}

std::optional<SavedRun> read_saved_run(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional(unpack_run(read_file(path), path));
}

}  // namespace

Training::Training(const OptionValues& values)
    : Training(values, read_saved_run(values.text("resume"))) {}

Training::Training(OptionValues values, const std::optional<SavedRun>& saved)
    : values_(with_saved_options(std::move(values), saved)),
      setup_(make_train_setup(values_)),
      trainer_(setup_.make_trainer()),
      budget_policy_(budget_policy_of(values_)),
      save_path_(values_.text(values_.is_given("save") ? "save" : "resume")),
      // Reads all of the data: done only where a saved run needs it, so also for --resume.
      data_crc32_(save_path_.empty() ? "" : cli::data_crc32(values_)),
      save_every_(values_.integer("save-every")) {
  // What was computed with, where the option says "one per core".
  values_.set("threads", std::to_string(setup_.threads));
  if (saved) {
    take_over(*saved);
  }
  check_save_target(save_path_);
  if (budget_policy_) {
    trainer_.set_budget(make_budget(*budget_policy_));
    trainer_.budget()->name(trainer_.model());
  } else {
    trainer_.place(place_policy_option("policy", values_.text("policy"), trainer_, setup_));
  }
}

void Training::take_over(const SavedRun& saved) {
  const std::string& file = values_.text("resume");
  check_same_options(saved.options, values_, file);
  if (saved.model != trainer_.model().description()) {
    throw UsageError("--resume: expected the model of " + file + " (" + saved.model + "), got " +
                     trainer_.model().description());
  }
  if (saved.data_crc32 != data_crc32_) {
    const auto name = [](const std::string& crc32) {
      return crc32.empty() ? std::string("synthetic data") : "data with crc32 " + crc32;
    };
    throw UsageError("--resume: expected the data of " + file + " (" + name(saved.data_crc32) +
                     "), got " + name(data_crc32_));
  }
  if (saved.steps_done > setup_.steps) {
    throw UsageError("--steps: expected at least " + std::to_string(saved.steps_done) + ", which " +
                     file + " has done, got '" + values_.text("steps") + "'");
  }
  unpack_tensors(saved.tensors, file, trainer_);
  steps_done_ = saved.steps_done;
  loss_ = saved.loss;
}

StepResult Training::step() {
  trainer_.region_stats().clear();
  return with_refusals(budget_policy_, values_.is_given("budget") ? "--budget" : "--policy",
                       [this] { return trainer_.step(setup_.step_batches(steps_done_)); });
}

void Training::save() {
  SavedRun run;
  run.steps_done = steps_done_;
  run.loss = loss_;
  run.model = trainer_.model().description();
  run.data_crc32 = data_crc32_;
  run.options = carried_options(values_);
  run.tensors = pack_tensors(trainer_);
  replace_file(save_path_, pack_run(run));
}

RunRecord Training::run(std::ostream& err) {
  const StopRequest stop;
  TrainingProgress progress(err);
  StepTimes times;
  StepResult last;
  std::int64_t peak_bytes = 0;
  std::int64_t total_peak_bytes = 0;
  bool has_settled = false;  // a step has followed a plan, or needs none
  for (const std::int64_t first = steps_done_; steps_done_ < setup_.steps && !stop.is_made();) {
    last = step();
    loss_ = last.loss;
    ++steps_done_;
    // The first step of all also made the optimizer's state.
    if (steps_done_ == 2 || !has_settled) {
      has_settled = !last.is_without_plan;
      peak_bytes = 0;
      total_peak_bytes = 0;
    }
    peak_bytes = std::max(peak_bytes, last.peak_bytes);
    total_peak_bytes = std::max(total_peak_bytes, last.total_peak_bytes);
    if (steps_done_ - first > setup_.warmup_steps && last.is_typical()) {
      times.add(last);
    }
    progress.show({.label = "train",
                   .done = steps_done_,
                   .total = setup_.steps,
                   .loss = last.loss,
                   .rate = items_per_second(setup_, last.wall_ms),
                   .rate_unit = setup_.data->item() + "/s",
                   .peak_bytes = peak_bytes});
    if (!save_path_.empty() && save_every_ > 0 && steps_done_ % save_every_ == 0 &&
        steps_done_ < setup_.steps) {
      save();
    }
  }
  progress.finish();
  if (!save_path_.empty()) {
    save();
  }
  if (steps_done_ < setup_.steps) {
    const std::string where = "interrupted after step " + std::to_string(steps_done_) + " of " +
                              std::to_string(setup_.steps);
    throw Interrupted(save_path_.empty() ? where + "; nothing is saved (no --save FILE)"
                                         : where + "; go on with --resume " + save_path_);
  }

  RunRecord record = describe_run(values_.text("policy"), trainer_, last);
  record.peak_bytes = peak_bytes;
  record.total_peak_bytes = total_peak_bytes;
  record.step_ms = times.median_wall_ms();
  record.step_cpu_ms = times.median_cpu_ms();
  record.units_per_s = items_per_second(setup_, record.step_ms);
  record.loss = loss_;
  record.state_crc32 = crc32_text(state_crc32(trainer_.model()));
  return record;
}

}  // namespace reprise::cli
