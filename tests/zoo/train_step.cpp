// SPDX-License-Identifier: Apache-2.0
#include "train_step.h"

#include <cstring>

#include <torch/torch.h>

#include "reprise/zoo/policy.h"

namespace reprise::zoo {

ModelSpec tiny(const std::string& model) {
  ModelSpec spec{.name = model};
  if (model == "gpt") {
    spec.layers = 4;
    spec.dim = 16;
    spec.heads = 2;
    spec.context = 8;
  } else if (model == "lstm") {
    spec.dim = 8;
    spec.context = 6;
  } else if (model == "audio") {
    spec.layers = 2;
    spec.dim = 16;
    spec.heads = 2;
    spec.context = 1600;
  } else if (model == "cnn") {
    spec.depths = {2, 1, 1};
    spec.dim = 4;
    spec.classes = 3;
    spec.image_size = 16;
  } else {
    spec.layers = 2;
    spec.dim = 4;
    spec.classes = 3;
    spec.image_size = 16;
  }
  return spec;
}

std::unique_ptr<DataSource> tiny_data(const std::string& model) {
  return make_data(tiny(model), {.batch_size = 4, .seed = 3});
}

Step train_step(const std::string& name, const std::string& policy) {
  torch::manual_seed(1);
  const std::shared_ptr<Model> model = make_model(tiny(name));
  const Batch batch = tiny_data(name)->batch(Split::kTrain, 0);
  tape::RegionOptions options;
  options.stats = std::make_shared<tape::RegionStats>();
  model->place_regions(place_policy(policy, *model, batch, options));

  torch::manual_seed(2);
  Step step;
  step.loss = model->loss(batch);
  step.loss.backward();
  step.loss = step.loss.detach();
  for (const at::Tensor& parameter : model->parameters()) {
    step.gradients.push_back(parameter.grad());
  }
  step.buffers = model->buffers();
  step.next_random = torch::rand({4});
  step.counts = options.stats->total();
  step.regions = model->regions();
  return step;
}

bool bitwise_equal(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const at::Tensor& left, const at::Tensor& right) {
                      return left.defined() && right.defined() && left.dtype() == right.dtype() &&
                             left.sizes() == right.sizes() &&
                             std::memcmp(left.contiguous().const_data_ptr(),
                                         right.contiguous().const_data_ptr(), left.nbytes()) == 0;
                    });
}

}  // namespace reprise::zoo
