// SPDX-License-Identifier: Apache-2.0
#include "bench/workloads.h"

#include <cstdint>
#include <memory>
#include <utility>

#include <torch/torch.h>

#include "reprise/plan/segments.h"
#include "reprise/zoo/make_model.h"

namespace reprise::bench {
namespace {

Workload of_zoo(const zoo::ModelSpec& spec, std::int64_t batch_size) {
  torch::manual_seed(1);
  const std::shared_ptr<zoo::Model> model = zoo::make_model(spec);
  const zoo::Batch batch =
      zoo::make_data(spec, {.batch_size = batch_size})->batch(zoo::Split::kTrain, 0);
  Workload workload;
  workload.loss = [model, batch] { return model->loss(batch); };
  workload.zero_grad = [model] { model->zero_grad(); };
  workload.use_regions = [model](bool has_regions) {
    zoo::RegionPlacement placement;
    placement.segments = has_regions ? plan::every_k(model->blocks(), 1, plan::LastSegment::kRegion)
                                     : plan::all_plain(model->blocks());
    model->place_regions(std::move(placement));
  };
  return workload;
}

torch::nn::Conv2d conv(std::int64_t from, std::int64_t to, std::int64_t kernel,
                       std::int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(from, to, kernel).stride(stride).padding(kernel / 2).bias(false));
}

struct BottleneckImpl : torch::nn::Module {
  BottleneckImpl(std::int64_t from, std::int64_t width, std::int64_t stride)
      : body(register_module(
            "body",
            torch::nn::Sequential(
                conv(from, width, 1, 1), torch::nn::BatchNorm2d(width),
                torch::nn::ReLU(torch::nn::ReLUOptions(true)), conv(width, width, 3, stride),
                torch::nn::BatchNorm2d(width), torch::nn::ReLU(torch::nn::ReLUOptions(true)),
                conv(width, 4 * width, 1, 1), torch::nn::BatchNorm2d(4 * width)))) {
    if (from != 4 * width) {
      skip = register_module("skip", torch::nn::Sequential(conv(from, 4 * width, 1, stride),
                                                           torch::nn::BatchNorm2d(4 * width)));
    }
  }

  at::Tensor forward(const at::Tensor& x) {
    return body->forward(x).add_(skip ? skip->forward(x) : x).relu_();
  }

  torch::nn::Sequential body;
  torch::nn::Sequential skip{nullptr};
};
TORCH_MODULE(Bottleneck);

// `width`: channels of the first stage; 64 in the published network.
torch::nn::Sequential make_resnet50(std::int64_t width, std::int64_t classes) {
  torch::nn::Sequential model(
      conv(3, width, 7, 2), torch::nn::BatchNorm2d(width),
      torch::nn::ReLU(torch::nn::ReLUOptions(true)),
      torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2).padding(1)));
  std::int64_t channels = width;
  std::int64_t stride = 1;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int block = 0; block < blocks; ++block) {
      model->push_back(Bottleneck(channels, width, block == 0 ? stride : 1));
      channels = 4 * width;
    }
    width *= 2;
    stride = 2;
  }
  model->push_back(torch::nn::AdaptiveAvgPool2d(torch::nn::AdaptiveAvgPool2dOptions(1)));
  model->push_back(torch::nn::Flatten());
  model->push_back(torch::nn::Linear(channels, classes));
  return model;
}

}  // namespace

Workload small_gpt() {
  Workload workload = of_zoo({.name = "gpt", .layers = 4, .dim = 32, .heads = 2, .context = 32}, 2);
  workload.name = "small";
  workload.about = "small gpt: 4 layers, d 32, T 32, B 2";
  workload.shares = {1, 0.7, 0.5};
  workload.rounds_per_round = 20;
  return workload;
}

Workload gpt() {
  Workload workload =
      of_zoo({.name = "gpt", .layers = 12, .dim = 384, .heads = 6, .context = 256}, 8);
  workload.name = "gpt";
  workload.about = "gpt: 12 layers, d 384, T 256, B 8";
  workload.shares = {1, 0.5, 0.4};
  return workload;
}

Workload lstm() {
  torch::manual_seed(1);
  torch::nn::LSTMCell cell(128, 256);
  torch::nn::Linear head(256, 128);
  const at::Tensor inputs = torch::randn({300, 32, 128});
  const at::Tensor targets = torch::randn({300, 32, 128});
  Workload workload;
  workload.name = "lstm";
  workload.about = "lstm cell 128 to 256 over 300 steps, B 32";
  workload.shares = {1, 0.5};
  workload.loss = [=]() mutable {
    at::Tensor hidden = torch::zeros({32, 256});
    at::Tensor memory = torch::zeros({32, 256});
    at::Tensor sum;
    for (std::int64_t t = 0; t < inputs.size(0); ++t) {
      std::tie(hidden, memory) = cell(inputs[t], std::make_tuple(hidden, memory));
      if (t % 10 == 9) {
        const at::Tensor error = (head(hidden) - targets[t]).pow(2).mean();
        sum = sum.defined() ? sum + error : error;
      }
    }
    return sum;
  };
  workload.zero_grad = [=]() mutable {
    cell->zero_grad();
    head->zero_grad();
  };
  return workload;
}

Workload resnet50() {
  torch::manual_seed(1);
  constexpr std::int64_t kClasses = 100;
  torch::nn::Sequential model = make_resnet50(16, kClasses);
  const at::Tensor images = torch::randn({16, 3, 128, 128});
  const at::Tensor classes = torch::randint(kClasses, {16});
  Workload workload;
  workload.name = "resnet50";
  workload.about = "bottleneck residual net, 3-4-6-3 blocks of width 16, 128x128, B 16";
  workload.shares = {1, 0.5};
  workload.loss = [=]() mutable {
    return torch::cross_entropy_loss(model->forward(images), classes);
  };
  workload.zero_grad = [=]() mutable { model->zero_grad(); };
  return workload;
}

}  // namespace reprise::bench
