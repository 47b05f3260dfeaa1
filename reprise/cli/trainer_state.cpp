// SPDX-License-Identifier: Apache-2.0
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/torch.h>

#include "reprise/cli/model_state.h"
#include "reprise/cli/trainer_state.h"
#include "reprise/plan/format_error.h"

namespace reprise::cli {
namespace {

using NamedTensors = c10::Dict<std::string, at::Tensor>;
using torch::optim::AdamWParamState;

NamedTensors named_tensors(Trainer& trainer) {
  NamedTensors all;
  for (const auto& [name, tensor] : model_state(trainer.model())) {
    all.insert("model/" + name, tensor);
  }
  // libtorch keys this state by address; the order of the parameters is what lasts.
  const auto& state = trainer.optimizer().state();
  std::int64_t index = 0;
  for (const at::Tensor& parameter : trainer.model().parameters()) {
    const std::string prefix = "adamw/" + std::to_string(index++) + "/";
    const auto found = state.find(parameter.unsafeGetTensorImpl());
    if (found == state.end()) {
      continue;  // never had a gradient
    }
    const auto& adamw = static_cast<const AdamWParamState&>(*found->second);
    all.insert(prefix + "step", torch::tensor(adamw.step(), torch::kInt64));
    all.insert(prefix + "exp_avg", adamw.exp_avg());
    all.insert(prefix + "exp_avg_sq", adamw.exp_avg_sq());
  }
  all.insert("generator/cpu", trainer.generator_state());
  return all;
}

NamedTensors read_tensors(const std::string& bytes, const std::string& name) {
  try {
    const c10::IValue value =
        torch::jit::pickle_load(std::vector<char>(bytes.begin(), bytes.end()));
    NamedTensors all;
    for (const auto& item : value.toGenericDict()) {
      all.insert(item.key().toStringRef(), item.value().toTensor());
    }
    return all;
  } catch (const c10::Error& error) {
    throw FormatError::mismatch(name, "tensors", "something that libtorch cannot read");
  }
}

std::string kind_text(const at::Tensor& tensor) {
  return "shape " + c10::str(tensor.sizes()) + " and " + std::string(tensor.dtype().name());
}

// The tensor of that name, which must be like `like`.
at::Tensor tensor_like(const NamedTensors& saved, const std::string& key, const at::Tensor& like,
                       const std::string& name) {
  if (!saved.contains(key)) {
    throw FormatError::mismatch(name, "a tensor '" + key + "'", "none");
  }
  at::Tensor tensor = saved.at(key);
  if (tensor.sizes() != like.sizes() || tensor.dtype() != like.dtype()) {
    throw FormatError::mismatch(name, "'" + key + "' of " + kind_text(like), kind_text(tensor));
  }
  return tensor;
}

std::unique_ptr<AdamWParamState> adamw_state(const NamedTensors& saved, const std::string& prefix,
                                             const at::Tensor& parameter, const std::string& name) {
  if (!saved.contains(prefix + "step")) {
    return nullptr;
  }
  auto state = std::make_unique<AdamWParamState>();
  state->step(
      tensor_like(saved, prefix + "step", torch::tensor(0, torch::kInt64), name).item<int64_t>());
  state->exp_avg(tensor_like(saved, prefix + "exp_avg", parameter, name));
  state->exp_avg_sq(tensor_like(saved, prefix + "exp_avg_sq", parameter, name));
  return state;
}

}  // namespace

std::string pack_tensors(Trainer& trainer) {
  const std::vector<char> bytes = torch::jit::pickle_save(named_tensors(trainer));
  return {bytes.begin(), bytes.end()};
}

void unpack_tensors(const std::string& tensors, const std::string& name, Trainer& trainer) {
  const torch::NoGradGuard no_gradients;
  const NamedTensors saved = read_tensors(tensors, name);

  // All is read and checked before anything is changed.
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;
  for (const auto& [key, tensor] : model_state(trainer.model())) {
    copies.emplace_back(tensor, tensor_like(saved, "model/" + key, tensor, name));
  }
  std::vector<std::pair<void*, std::unique_ptr<AdamWParamState>>> states;
  std::int64_t index = 0;
  for (const at::Tensor& parameter : trainer.model().parameters()) {
    states.emplace_back(
        parameter.unsafeGetTensorImpl(),
        adamw_state(saved, "adamw/" + std::to_string(index++) + "/", parameter, name));
  }
  const at::Tensor generator = tensor_like(saved, "generator/cpu", trainer.generator_state(), name);

  for (auto& [tensor, content] : copies) {
    tensor.copy_(content);
  }
  trainer.optimizer().state().clear();
  for (auto& [key, state] : states) {
    if (state) {
      trainer.optimizer().state()[key] = std::move(state);
    }
  }
  trainer.set_generator_state(generator);
}

}  // namespace reprise::cli
