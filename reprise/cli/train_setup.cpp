// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/train_setup.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "reprise/cli/argument_names.h"
#include "reprise/cli/budget_policy.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/model_spec.h"
#include "reprise/plan/shortened.h"
#include "reprise/zoo/autocast_scope.h"
#include "reprise/zoo/policy.h"

namespace reprise::cli {
namespace {

zoo::DataSpec data_spec(const OptionValues& values) {
  const std::string& data = values.text("data");
  const std::string& model = values.text("model");
  if (!data.empty() && (model == "gpt" || model == "lstm")) {
    throw UsageError("--data: expected a model of sounds or images, got --model " + model +
                     " (its text is named by --text)");
  }
  zoo::DataSpec spec;
  spec.text = values.text("text");
  (model == "audio" ? spec.wav : spec.images) = data;
  spec.labels = values.text("labels");
  spec.batch_size = values.integer("batch");
  spec.seed = static_cast<std::uint64_t>(values.integer("seed"));
  return spec;
}

std::int64_t set_threads(std::int64_t asked) {
  if (asked > 0) {
    at::set_num_threads(static_cast<int>(asked));
  }
  return at::get_num_threads();
}

// What `work` gives; a complaint of its ("place: expectation, got value") becomes one about
// `option`.
template <class Work>
auto as_option(const std::string& option, const Work& work) {
  try {
    return work();
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    const std::size_t colon = what.find(':');
    throw UsageError("--" + option +
                     (colon == std::string::npos ? ": " + what : what.substr(colon)));
  }
}

std::vector<std::string> policy_forms() {
  std::vector<std::string> forms;
  for (const zoo::PolicyHelp& policy : zoo::policies()) {
    forms.push_back(policy.form);
  }
  const std::vector<std::string>& of_budgets = budget_policy_forms();
  forms.insert(forms.end(), of_budgets.begin(), of_budgets.end());
  return forms;
}

// "every" of "every=2".
std::string name_of(const std::string& policy) { return policy.substr(0, policy.find('=')); }

}  // namespace

TrainSetup make_setup(const OptionValues& values) {
  TrainSetup setup;
  setup.threads = set_threads(values.integer("threads"));
  setup.model = model_spec(values);
  setup.trainer = {.learning_rate = values.real("lr"),
                   .weight_decay = values.real("weight-decay"),
                   .clip_norm = values.real("clip"),
                   .uses_bf16 = values.flag("bf16")};
  const zoo::DataSpec data = data_spec(values);
  setup.data = with_names(zoo_names(), [&] { return zoo::make_data(setup.model, data); });
  setup.seed = static_cast<std::uint64_t>(values.integer("seed"));
  setup.steps = values.integer("steps");
  setup.accumulate = values.integer("accumulate");
  return setup;
}

TrainSetup make_train_setup(const OptionValues& values) {
  TrainSetup setup = make_setup(values);
  setup.warmup_steps = std::min(values.integer("warmup"), setup.steps - 1);
  setup.validation_batches = values.integer("validation-batches");
  setup.policy_from_length = values.integer("policy-from-length");
  return setup;
}

Trainer TrainSetup::make_trainer() const {
  return with_names(zoo_names(), [this] {
    return Trainer([this] { return zoo::make_model(model); }, seed, trainer);
  });
}

std::vector<zoo::Batch> TrainSetup::step_batches(std::int64_t step) const {
  std::vector<zoo::Batch> batches;
  for (std::int64_t i = 0; i < accumulate; ++i) {
    batches.push_back(data->batch(zoo::Split::kTrain, step * accumulate + i));
  }
  return batches;
}

std::vector<zoo::Batch> TrainSetup::held_out_batches() const {
  std::vector<zoo::Batch> batches;
  for (std::int64_t i = 0; i < validation_batches; ++i) {
    batches.push_back(data->batch(zoo::Split::kValidation, i));
  }
  return batches;
}

void check_policy_option(const std::string& option, const std::string& policy) {
  if (read_budget_policy(policy, "--" + option)) {
    return;
  }
  const std::vector<std::string> forms = policy_forms();
  if (std::none_of(forms.begin(), forms.end(),
                   [&](const std::string& form) { return name_of(form) == name_of(policy); })) {
    std::ostringstream complaint;
    complaint << "--" << option << ": expected one of ";
    std::copy(forms.begin(), forms.end() - 1, std::ostream_iterator<std::string>(complaint, ", "));
    complaint << forms.back() << ", got " << in_quotes(policy);
    throw UsageError(complaint.str());
  }
  as_option(option, [&] { zoo::check_policy(policy); });
}

zoo::RegionPlacement place_policy_option(const std::string& option, const std::string& policy,
                                         Trainer& trainer, const TrainSetup& setup) {
  const zoo::AutocastScope autocast(setup.trainer.uses_bf16);  // some policies measure the model
  const zoo::Batch sample = setup.data->batch(zoo::Split::kTrain, 0);
  zoo::RegionPlacement placement =
      as_option(option, [&] { return zoo::place_policy(policy, trainer.model(), sample); });
  if (setup.policy_from_length == 0) {
    return placement;
  }
  return as_option("policy-from-length", [&] {
    return zoo::from_sequence_length(placement, trainer.model(), sample, setup.policy_from_length);
  });
}

std::vector<std::string> compared_policies(const std::string& list) {
  std::vector<std::string> policies;
  std::istringstream items(list);
  for (std::string policy; std::getline(items, policy, ',');) {
    check_policy_option("compare", policy);
    if (std::count(policies.begin(), policies.end(), policy) > 0) {
      throw UsageError("--compare: expected each policy once, got " + in_quotes(policy) + " twice");
    }
    policies.push_back(policy);
  }
  if (std::count(policies.begin(), policies.end(), "none") == 0) {
    policies.insert(policies.begin(), "none");
  }
  return policies;
}

}  // namespace reprise::cli
