// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/model_program.h"

#include <memory>

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>

#include "reprise/cli/argument_names.h"
#include "reprise/cli/model_spec.h"
#include "reprise/profile/meta_recorder.h"

namespace reprise::cli {
namespace {

// Labels the tensors, and adds up what they take.
template <class Tensors>
std::int64_t add_tensors(const Tensors& tensors, profile::ParameterNames& names) {
  std::int64_t bytes = 0;
  for (const auto& item : tensors) {
    names.add(item.key(), item.value());
    bytes += static_cast<std::int64_t>(item.value().nbytes());
  }
  return bytes;
}

void make_gradients(const zoo::Model& model) {
  for (const at::Tensor& parameter : model.parameters()) {
    parameter.mutable_grad() = at::empty_like(parameter).detach();
  }
}

std::int64_t gradient_bytes(const zoo::Model& model) {
  std::int64_t bytes = 0;
  for (const at::Tensor& parameter : model.parameters()) {
    bytes += parameter.grad().defined() ? static_cast<std::int64_t>(parameter.grad().nbytes()) : 0;
  }
  return bytes;
}

}  // namespace

EstimatedProgram make_model_program(const OptionValues& values) {
  const zoo::ModelSpec spec = model_spec(values);
  const zoo::DataSpec data{.batch_size = values.integer("batch")};
  if (const std::int64_t threads = values.integer("threads"); threads > 0) {
    at::set_num_threads(static_cast<int>(threads));
  }
  EstimatedProgram estimated;
  EstimatedModel& model_bytes = estimated.model;
  model_bytes.gflops = values.real("gflops");
  model_bytes.gbytes_per_s = values.real("gbytes-per-s");
  profile::MetaRecorder recorder(
      {.gflops = model_bytes.gflops, .gbytes_per_s = model_bytes.gbytes_per_s});
  with_names(zoo_names(), [&] {
    const zoo::Batch batch = zoo::batch_without_bytes(spec, data);
    const std::shared_ptr<zoo::Model> model = zoo::make_model(spec);
    model->train();
    profile::ParameterNames names;
    model_bytes.parameter_bytes =
        add_tensors(model->named_parameters(), names) + add_tensors(model->named_buffers(), names);
    if (values.text("gradients") == "there") {
      make_gradients(*model);
    }
    model_bytes.there_gradient_bytes = gradient_bytes(*model);
    estimated.program = recorder.record([&] { model->loss(batch).backward(); }, names);
    estimated.program.name = model->description();
    model_bytes.made_gradient_bytes = gradient_bytes(*model) - model_bytes.there_gradient_bytes;
  });
  return estimated;
}

}  // namespace reprise::cli
