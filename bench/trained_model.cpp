// SPDX-License-Identifier: Apache-2.0
#include "bench/trained_model.h"

#include <fstream>
#include <stdexcept>
#include <utility>

#include <torch/torch.h>

namespace reprise::bench {
namespace {

constexpr std::uint64_t kSeed = 1234;

using NamedTensors = c10::Dict<std::string, at::Tensor>;

// A file that torch.load reads.
void write(const std::string& path, const NamedTensors& tensors) {
  const std::vector<char> bytes = torch::pickle_save(tensors);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) {
    throw std::runtime_error("TrainedModel: cannot write " + path);
  }
}

void insert_buffers(NamedTensors& tensors, const zoo::Model& model) {
  for (const auto& buffer : model.named_buffers()) {
    tensors.insert(buffer.key(), buffer.value());
  }
}

}  // namespace

TrainedModel::TrainedModel(std::shared_ptr<zoo::Model> model, zoo::Batch batch)
    : model_(std::move(model)), batch_(std::move(batch)) {
  for (const at::Tensor& parameter : model_->parameters()) {
    parameter.mutable_grad() = torch::zeros_like(parameter);
  }
  for (const at::Tensor& buffer : model_->buffers()) {
    first_buffers_.push_back(buffer.clone());
  }
}

Step TrainedModel::step(const StepOptions& options) {
  {
    const at::NoGradGuard without_gradients;
    for (const at::Tensor& parameter : model_->parameters()) {
      parameter.mutable_grad().zero_();
    }
    const Tensors buffers = model_->buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      buffers[i].copy_(first_buffers_[i]);
    }
  }
  torch::manual_seed(kSeed);
  return measure_step([this] { return model_->loss(batch_); }, options);
}

void TrainedModel::write_model(const std::string& path) const {
  NamedTensors tensors;
  for (const auto& parameter : model_->named_parameters()) {
    tensors.insert(parameter.key(), parameter.value().detach());
  }
  insert_buffers(tensors, *model_);
  tensors.insert("batch.input", batch_.inputs.at(0));
  tensors.insert("batch.target", batch_.target);
  write(path, tensors);
}

void TrainedModel::write_results(const std::string& path) const {
  NamedTensors tensors;
  for (const auto& parameter : model_->named_parameters()) {
    tensors.insert(parameter.key(), parameter.value().grad());
  }
  insert_buffers(tensors, *model_);
  write(path, tensors);
}

Tensors TrainedModel::gradients() const {
  Tensors gradients;
  for (const at::Tensor& parameter : model_->parameters()) {
    gradients.push_back(parameter.grad());
  }
  return gradients;
}

}  // namespace reprise::bench
