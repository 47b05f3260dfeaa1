// SPDX-License-Identifier: Apache-2.0
// Layers, layouts and shapes of every kind inside a region, and what a region may return.
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_same_as_plain;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::Step;
using support::Tensors;
using support::values;
namespace rnn = torch::nn::utils::rnn;

using Fn = std::function<at::Tensor(const at::Tensor&)>;

// The common case: one double input that requires grad, the sum of the result as the loss.
std::vector<support::Run> expect_function_same(const Fn& fn, c10::IntArrayRef sizes) {
  const std::vector<std::int64_t> shape = sizes.vec();
  return expect_same_as_plain([fn, shape](const Nest& region) {
    const at::Tensor x = ramp_leaf(shape);
    const at::Tensor y = region(fn, x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });
}

template <class Holder>
Holder in_double(Holder module) {
  module->to(torch::kDouble);
  return module;
}

// UC-11.
TEST(Ops, AGruOverPaddedSequencesGivesNoGradientToThePadding) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::GRU gru = in_double(torch::nn::GRU(torch::nn::GRUOptions(2, 3).batch_first(true)));
    const at::Tensor x =
        torch::linspace(-1, 1, 16, torch::kDouble).view({2, 4, 2}).requires_grad_();
    const at::Tensor lengths = torch::tensor({4, 2}, torch::kLong);
    const at::Tensor y = region(
        [=](const at::Tensor& t) mutable {
          const rnn::PackedSequence packed =
              rnn::pack_padded_sequence(t, lengths, /*batch_first=*/true);
          const auto result = gru->forward_with_packed_input(packed);
          return std::get<0>(rnn::pad_packed_sequence(std::get<0>(result), /*batch_first=*/true));
        },
        x);
    y.square().sum().backward();
    Tensors leaves = gru->parameters();
    leaves.insert(leaves.begin(), x);
    return Step{.outputs = {y}, .leaves = leaves};
  });

  EXPECT_EQ(runs[1].gradients[0][1].slice(0, 2, 4).abs().sum().item<double>(), 0);
  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Ops, APackedSequenceMayBeTheArgument) {
  torch::nn::GRU gru = in_double(torch::nn::GRU(torch::nn::GRUOptions(2, 3).batch_first(true)));
  const auto run = [&](bool as_region) {
    gru->zero_grad();
    const at::Tensor x =
        torch::linspace(-1, 1, 16, torch::kDouble).view({2, 4, 2}).requires_grad_();
    const rnn::PackedSequence packed =
        rnn::pack_padded_sequence(x, torch::tensor({4, 2}, torch::kLong), /*batch_first=*/true);
    const auto fn = [&](const rnn::PackedSequence& in) {
      return std::get<0>(
          rnn::pad_packed_sequence(std::get<0>(gru->forward_with_packed_input(in)), true));
    };
    const at::Tensor y = as_region ? checkpoint(fn, packed) : fn(packed);
    y.square().sum().backward();
    Tensors gradients = {x.grad()};
    for (const at::Tensor& each : gru->parameters()) {
      gradients.push_back(each.grad().clone());
    }
    return gradients;
  };

  EXPECT_TRUE(support::bitwise_equal(run(true), run(false)));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Ops, AnLstmOfTwoLayersWithDropoutIsRepeated) {
  expect_same_as_plain([](const Nest& region) {
    torch::nn::LSTM lstm = in_double(torch::nn::LSTM(
        torch::nn::LSTMOptions(3, 4).num_layers(2).dropout(.5).bidirectional(true)));
    const at::Tensor x = ramp_leaf({5, 2, 3});
    const Tensors y = region(
        [=](const Tensors& in) mutable {
          const auto [out, state] = lstm(in[0]);
          return Tensors{out, std::get<0>(state), std::get<1>(state)};
        },
        Tensors{x});
    (y[0].square().sum() + y[2].sum()).backward();
    Tensors leaves = lstm->parameters();
    leaves.push_back(x);
    return Step{.outputs = y, .leaves = leaves};
  });
}

TEST(Ops, AnLstmInFloatIsRepeated) {
  expect_same_as_plain([](const Nest& region) {
    torch::nn::LSTM lstm(3, 4);
    const at::Tensor x = torch::linspace(-1, 1, 30, torch::kFloat).view({5, 2, 3}).requires_grad_();
    const at::Tensor y =
        region([=](const at::Tensor& t) mutable { return std::get<0>(lstm(t)).tanh(); }, x);
    y.sum().backward();
    Tensors leaves = lstm->parameters();
    leaves.push_back(x);
    return Step{.outputs = {y}, .leaves = leaves};
  });
}

TEST(Ops, ALstmCellOverTimeCarriesItsStateThroughRegions) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::LSTMCell cell = in_double(torch::nn::LSTMCell(2, 3));
    at::Tensor hidden = ramp_leaf({1, 3});
    const at::Tensor first_hidden = hidden;
    at::Tensor memory = torch::zeros({1, 3}, torch::kDouble);
    for (int time = 0; time < 4; ++time) {
      const at::Tensor x = ramp({1, 2}) * time;
      const Tensors state = region(
          [=](const Tensors& in) mutable {
            const auto [h, c] = cell(in[0], std::make_tuple(in[1], in[2]));
            return Tensors{h, c};
          },
          Tensors{x, hidden, memory});
      hidden = state[0];
      memory = state[1];
    }
    hidden.sum().backward();
    Tensors leaves = cell->parameters();
    leaves.push_back(first_hidden);
    return Step{.outputs = {hidden, memory}, .leaves = leaves};
  });

  EXPECT_EQ(runs[1].counts.reruns, 4);
}

TEST(Ops, MaxPoolingKeepsItsIndices) {
  expect_function_same(
      [](const at::Tensor& t) {
        const auto [pooled, indices] = torch::max_pool2d_with_indices(t.sin(), 2);
        return torch::max_unpool2d(pooled.exp(), indices, {4, 4}).square();
      },
      {1, 2, 4, 4});
}

TEST(Ops, ConvolutionsInChannelsLastKeepTheirLayout) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::Conv2d conv = in_double(torch::nn::Conv2d(torch::nn::Conv2dOptions(2, 2, 3)));
    conv->to(torch::kDouble);
    const at::Tensor x =
        ramp({1, 2, 5, 5}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_();
    std::vector<bool> layouts;
    const at::Tensor y = region(
        [=](const at::Tensor& t) mutable {
          EXPECT_TRUE(t.is_contiguous(at::MemoryFormat::ChannelsLast));
          return conv(t).relu().square();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, conv->weight, conv->bias}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Ops, NormalisationsAndAttentionAreRepeated) {
  expect_function_same(
      [](const at::Tensor& t) {
        const at::Tensor h = torch::layer_norm(t, {4});
        const at::Tensor g = torch::group_norm(h.transpose(1, 2), 2).transpose(1, 2);
        return at::scaled_dot_product_attention(g, h, g.tanh(), {}, 0., /*is_causal=*/true);
      },
      {2, 3, 4});
}

TEST(Ops, ComplexNumbersAreRepeated) {
  expect_function_same(
      [](const at::Tensor& t) {
        const at::Tensor spectrum = torch::fft::rfft(t);
        const at::Tensor rotated = spectrum.conj() * torch::complex(values({0}), values({1}));
        return torch::fft::irfft(rotated.exp(), 8) + torch::view_as_real(rotated).sum();
      },
      {8});
}

TEST(Ops, AComplexArgumentWithItsConjugateBitIsPassedOn) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = torch::complex(ramp({4}), ramp({4}).exp()).requires_grad_();
    const at::Tensor y = region(
        [](const at::Tensor& t) {
          EXPECT_TRUE(t.is_conj());
          return t * t.sin();
        },
        x.conj());
    y.abs().sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });
}

TEST(Ops, ASparseGradientOfAnEmbeddingIsThatOfPlain) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor table = ramp_leaf({6, 2});
    const at::Tensor y = region(
        [table](const at::Tensor& tokens) {
          return torch::embedding(table, tokens, -1, false, /*sparse=*/true).sin();
        },
        torch::tensor({0, 3, 3}, torch::kLong));
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {table}};
  });

  EXPECT_TRUE(runs[1].gradients[0].is_sparse());
}

TEST(Ops, SparseTensorsMayBeArgumentsAndIntermediates) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor adjacency = torch::eye(3, torch::kDouble).to_sparse();
    const at::Tensor x = ramp_leaf({3, 2});
    const Tensors y = region(
        [](const Tensors& in) {
          return Tensors{at::_sparse_mm(in[0], at::_sparse_mm(in[0], in[1].sin()).exp())};
        },
        Tensors{adjacency, x});
    y[0].sum().backward();
    return Step{.outputs = y, .leaves = {x}};
  });
}

TEST(Ops, NestedTensorsMayBeArgumentsAndIntermediates) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({2, 3});
    const auto fn = [](const Tensors& in) {
      const at::Tensor both = at::_nested_tensor_from_tensor_list({in[0].sin(), in[0].exp()});
      return Tensors{(both + in[1]).to_padded_tensor(0)};
    };
    const at::Tensor nested = at::_nested_tensor_from_tensor_list({ramp({2, 3}), ramp({2, 3})});
    const Tensors y = region(fn, Tensors{x, nested});
    y[0].sum().backward();
    return Step{.outputs = y, .leaves = {x}};
  });
}

TEST(Ops, AnInferenceTensorMayBeAnArgument) {
  expect_same_as_plain([](const Nest& region) {
    at::Tensor shift;
    {
      const c10::InferenceMode inference;
      shift = ramp({4});
    }
    const at::Tensor x = ramp_leaf({4});
    const Tensors y = region([](const Tensors& in) { return Tensors{(in[0] + in[1]).sin().exp()}; },
                             Tensors{x, shift});
    y[0].sum().backward();
    return Step{.outputs = y, .leaves = {x}};
  });
}

TEST(Ops, ZeroDimensionalTensorsAndNumbersPromoteAsInPlain) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = torch::linspace(-1, 1, 4, torch::kFloat).requires_grad_();
    const at::Tensor scale = torch::tensor(1.5, torch::kDouble).requires_grad_();
    const Tensors y = region(
        [](const Tensors& in) {
          const at::Tensor h = in[0] * 2.5 * in[1] + 1;
          EXPECT_EQ(h.scalar_type(), torch::kFloat);
          return Tensors{h.sin() / 3, in[1].exp()};
        },
        Tensors{x, scale});
    (y[0].sum() + y[1]).backward();
    return Step{.outputs = y, .leaves = {x, scale}};
  });
}

TEST(Ops, EmptyTensorsAreRepeated) {
  expect_function_same([](const at::Tensor& t) { return t.sin().exp().sum(0); }, {0, 3});
}

TEST(Ops, ViewsOfEveryKindAreRepeated) {
  expect_function_same(
      [](const at::Tensor& t) {
        const at::Tensor x = t.sin();
        const at::Tensor y = x.unsqueeze(0).transpose(1, 2).squeeze(0).t().permute({1, 0}).t();
        const at::Tensor z = y.view({2, 6}).select(0, 1).slice(0, 1, 5).expand({3, 4});
        const std::vector<at::Tensor> parts = x.split(1, 0);
        return x.exp() * z + parts[1].exp() * x.as_strided({3, 4}, {0, 1}, 4).cos() +
               at::alias(x).square() + x.detach();
      },
      {3, 4});
}

TEST(Ops, SortTopkAndGatherKeepTheirIndices) {
  expect_function_same(
      [](const at::Tensor& t) {
        const auto [sorted, order] = t.sin().sort(-1, /*descending=*/true);
        const auto [best, places] = sorted.exp().topk(2);
        return sorted.gather(-1, places).square() + best + order.slice(1, 0, 2);
      },
      {3, 4});
}

TEST(Ops, ABooleanMaskThatDependsOnTheDataIsRepeated) {
  expect_function_same(
      [](const at::Tensor& t) {
        const at::Tensor chosen = t.sin().masked_select(t > 0);
        return chosen.exp().sum() + t.index({t < 0}).cos().sum() + t.nonzero().sum();
      },
      {3, 4});
}

TEST(Ops, LossesAreRepeated) {
  expect_function_same(
      [](const at::Tensor& t) {
        return torch::nn::functional::cross_entropy(t.exp(), torch::tensor({0, 2, 1}));
      },
      {3, 4});
}

TEST(Ops, LinearAlgebraIsRepeated) {
  expect_function_same(
      [](const at::Tensor& t) {
        const at::Tensor square = t.t().mm(t) + torch::eye(3, torch::kDouble);
        return torch::linalg_solve(square, torch::linalg_cholesky(square)) + square.logdet();
      },
      {4, 3});
}

// --- What a region may return. ---

TEST(Results, MayBeTheInputItself) {
  const auto runs = expect_function_same([](const at::Tensor& t) { return t; }, {3});

  EXPECT_EQ(runs[1].counts.reruns, 0);
}

TEST(Results, MayBeTheInputOfAChain) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor h = x.exp();
    const at::Tensor y = region([](const at::Tensor& t) { return t; }, h);
    y.sin().sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });
}

TEST(Results, MayBeAnInputBesideAResult) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3});
    const Tensors y = region(
        [](const Tensors& in) {
          return Tensors{in[0], in[0].sin().exp()};
        },
        Tensors{x.cos()});
    (y[0].square().sum() + y[1].sum()).backward();
    return Step{.outputs = y, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Results, MayBeTheSameTensorTwice) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3});
    const Tensors y = region(
        [](const Tensors& in) {
          const at::Tensor h = in[0].sin().exp();
          return Tensors{h, h};
        },
        Tensors{x});
    EXPECT_TRUE(y[0].is_same(y[1]));
    (y[0].square().sum() + y[1].sum()).backward();
    return Step{.outputs = y, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Results, MayBeViewsOfTheInput) {
  expect_function_same([](const at::Tensor& t) { return t.view({-1}).slice(0, 1, 4); }, {2, 3});
}

TEST(Results, MayBeViewsOfIntermediates) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({2, 6});
    const Tensors y =
        region([](const Tensors& in) { return in[0].sin().exp().chunk(3, 1); }, Tensors{x});
    (y[0].square().sum() + y[2].sum()).backward();
    return Step{.outputs = y, .leaves = {x}};
  });
}

TEST(Results, MayBeAParameterThatIsCaptured) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor w = ramp_leaf({3});
    const Tensors y = region(
        [w](const Tensors& in) {
          return Tensors{w, (in[0] * w).sin()};
        },
        Tensors{ramp({3})});
    (y[0].square().sum() + y[1].sum()).backward();
    return Step{.outputs = {y[1]}, .leaves = {w}};
  });
}

TEST(Results, MayBeUsedPartlyAndDroppedPartly) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({2, 3});
    at::Tensor kept;
    {
      const Tensors y = region(
          [](const Tensors& in) {
            const at::Tensor h = in[0].sin();
            return Tensors{h.exp(), h.cos(), h.tanh()};
          },
          Tensors{x});
      kept = y[1];
    }
    kept[0].sum().backward();
    return Step{.outputs = {kept}, .leaves = {x}};
  });
}

}  // namespace
}  // namespace reprise
