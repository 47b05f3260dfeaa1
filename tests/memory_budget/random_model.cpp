// SPDX-License-Identifier: Apache-2.0
#include "tests/memory_budget/random_model.h"

#include <functional>
#include <random>
#include <utility>

#include <torch/torch.h>

namespace reprise::support {
namespace {

constexpr std::int64_t kBatch = 2, kChannels = 4, kSide = 6, kTokens = 6, kDim = 8;

// By position in RandomModel::parameters_ and buffers_.
enum Parameter : std::size_t { kTable, kConv, kChannelScale, kToTokens, kSquare, kOther, kScale };
enum Buffer : std::size_t { kMean, kVariance, kCounter };

struct State {
  const std::vector<at::Tensor>& parameters;
  const std::vector<at::Tensor>& buffers;
};

using Kind = std::function<at::Tensor(const State&, const at::Tensor&)>;

struct Cube : torch::autograd::Function<Cube> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& t) {
    const at::Tensor square = t * t;
    context->save_for_backward({t, square});
    return square * t;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    return {gradients[0] * 3 * saved[1]};
  }
};

const std::vector<Kind>& image_kinds() {
  static const std::vector<Kind> all = {
      [](const State& s, const at::Tensor& t) {
        return torch::conv2d(t, s.parameters[kConv], {}, 1, 1);
      },
      [](const State& s, const at::Tensor& t) {
        return torch::batch_norm(t, s.parameters[kChannelScale], {}, s.buffers[kMean],
                                 s.buffers[kVariance], true, .1, 1e-5, false);
      },
      [](const State& s, const at::Tensor& t) {
        return torch::group_norm(t, 2, s.parameters[kChannelScale]).relu_();
      },
      [](const State&, const at::Tensor& t) { return torch::dropout(t, .2, true); },
      [](const State&, const at::Tensor& t) { return torch::feature_dropout(t, .3, true); },
      [](const State&, const at::Tensor& t) { return torch::max_pool2d(t, 3, 1, 1); },
      [](const State&, const at::Tensor& t) {
        return torch::avg_pool2d(t, 2).repeat_interleave(2, 2).repeat_interleave(2, 3);
      },
      [](const State&, const at::Tensor& t) {
        const auto halves = t.split(2, 1);
        return torch::cat({halves[1].sin(), halves[0]}, 1);
      },
      [](const State& s, const at::Tensor& t) {
        s.buffers[kCounter].add_(1);
        return torch::leaky_relu(t, .1);
      },
      [](const State&, const at::Tensor& t) {
        return t.permute({0, 1, 3, 2}).contiguous().tanh();
      },
  };
  return all;
}

at::Tensor attention(const State& s, const at::Tensor& t) {
  const at::Tensor q = t.matmul(s.parameters[kSquare]).view({kBatch, kTokens, 2, kDim / 2});
  const at::Tensor k = t.view({kBatch, kTokens, 2, kDim / 2}).transpose(1, 2);
  at::Tensor scores = q.transpose(1, 2).matmul(k.transpose(-1, -2)).div_(2);
  const at::Tensor later = torch::ones({kTokens, kTokens}, torch::kBool).triu(1);
  scores = torch::dropout(scores.masked_fill_(later, -1e4).softmax(-1), .1, true);
  return scores.matmul(k).transpose(1, 2).reshape({kBatch, kTokens, kDim});
}

const std::vector<Kind>& sequence_kinds() {
  static const std::vector<Kind> all = {
      &attention,
      [](const State& s, const at::Tensor& t) { return t.matmul(s.parameters[kSquare]); },
      [](const State& s, const at::Tensor& t) {
        return torch::linear(torch::gelu(torch::linear(t, s.parameters[kOther])),
                             s.parameters[kOther]);
      },
      [](const State& s, const at::Tensor& t) {
        return torch::layer_norm(t, {kDim}, s.parameters[kScale]);
      },
      [](const State&, const at::Tensor& t) { return torch::dropout(t, .2, true); },
      [](const State&, const at::Tensor& t) {
        return torch::scaled_dot_product_attention(t, t.sin(), t);
      },
      [](const State&, const at::Tensor& t) { return Cube::apply(t.tanh()); },
      [](const State&, const at::Tensor& t) {
        at::Tensor h = t * .5;
        h.add_(t).mul_(1.25);
        h.select(1, 0).zero_();
        return h.sigmoid_();
      },
      [](const State&, const at::Tensor& t) { return t - t.mean(1, true) + t.amax(2, true); },
      [](const State&, const at::Tensor& t) {
        const auto parts = t.chunk(2, 2);
        return torch::stack({parts[0] * parts[1].sigmoid(), parts[1]}, 3).flatten(2);
      },
      [](const State& s, const at::Tensor& t) {
        const at::Tensor ids = t.detach().argmax(2) % 5;
        return t + torch::embedding(s.parameters[kTable], ids);
      },
      [](const State&, const at::Tensor& t) { return t.transpose(1, 2).cumsum(2).transpose(1, 2); },
      [](const State& s, const at::Tensor& t) {
        return torch::where(t > 0, t.exp().log1p(), t * s.parameters[kScale]);
      },
      [](const State&, const at::Tensor& t) { return t.flip({1}).abs().clamp(.01, 2).sqrt(); },
      [](const State&, const at::Tensor& t) {
        return t.index_select(1, torch::arange(kTokens - 1, -1, -1)) + torch::rand_like(t);
      },
      [](const State&, const at::Tensor& t) {
        return torch::rrelu(torch::einsum("btd,bsd->bts", {t, t}), .1, .3, true).matmul(t).tanh();
      },
  };
  return all;
}

}  // namespace

RandomModel::RandomModel(std::uint32_t seed) : seed_(seed) {
  std::mt19937 source(seed);
  const auto draw = [&](std::size_t count, std::size_t kinds) {
    std::vector<Layer> layers;
    for (std::size_t i = 0; i < count; ++i) {
      layers.push_back({.kind = source() % kinds, .has_skip = source() % 3 == 0});
    }
    return layers;
  };
  is_image_ = source() % 2 == 0;
  if (is_image_) {
    image_layers_ = draw(1 + source() % 6, image_kinds().size());
  }
  layers_ = draw(3 + source() % 7, sequence_kinds().size());
  torch::manual_seed(seed);
  for (const std::vector<std::int64_t>& sizes :
       std::vector<std::vector<std::int64_t>>{{5, kDim},
                                              {kChannels, kChannels, 3, 3},
                                              {kChannels},
                                              {kChannels, kDim},
                                              {kDim, kDim},
                                              {kDim, kDim},
                                              {kDim}}) {
    parameters_.push_back(torch::randn(sizes).div_(2).set_requires_grad(source() % 5 != 0));
  }
  parameters_[kTable].set_requires_grad(true);  // something is trained
  parameters_[kToTokens].set_requires_grad(true);
  buffers_ = {torch::zeros({kChannels}), torch::ones({kChannels}), torch::zeros({}, torch::kLong)};
}

at::Tensor RandomModel::loss() {
  torch::manual_seed(seed_ + 1);
  const State state{parameters_, buffers_};
  const auto run = [&](const std::vector<Layer>& layers, const std::vector<Kind>& kinds,
                       at::Tensor h) {
    for (const Layer& each : layers) {
      const at::Tensor out = kinds[each.kind](state, h);
      h = each.has_skip ? out + h : out;
    }
    return h;
  };
  at::Tensor tokens;
  if (is_image_) {
    at::Tensor image =
        run(image_layers_, image_kinds(), torch::randn({kBatch, kChannels, kSide, kSide}));
    image = image.flatten(2).transpose(1, 2).matmul(parameters_[kToTokens]);
    tokens = image.view({kBatch, kTokens, kSide, kDim}).mean(2);
  } else {
    tokens = torch::embedding(parameters_[kTable], torch::randint(5, {kBatch, kTokens}));
  }
  return run(layers_, sequence_kinds(), tokens).square().mean() + parameters_[kTable].sum() * .1;
}

Tensors RandomModel::take_results() {
  Tensors results;
  for (at::Tensor& parameter : parameters_) {
    results.push_back(std::exchange(parameter.mutable_grad(), {}));
  }
  for (const at::Tensor& buffer : buffers_) {
    results.push_back(buffer.clone());
  }
  buffers_[kMean].zero_();
  buffers_[kVariance].fill_(1);
  buffers_[kCounter].zero_();
  results.push_back(default_generator_state());
  return results;
}

}  // namespace reprise::support
