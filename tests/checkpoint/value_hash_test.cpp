// SPDX-License-Identifier: Apache-2.0
// DeterminismCheck::kValues: hashes of what a region saves agree wherever the rerun did the same.
// That a difference is found, mismatch_test.cpp shows.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_region_same_as_plain;
using support::is_close;
using support::ramp;
using support::values;

CheckpointOptions hashing() {
  CheckpointOptions options = support::rerunning();
  options.determinism_check = DeterminismCheck::kValues;
  return options;
}

TEST(ValueHash, OfTensorsOfManyKindsIsTheSameInTheRerun) {
  expect_region_same_as_plain(
      [](const at::Tensor& t) {
        const at::Tensor z = torch::complex(t, t.cos());
        const at::Tensor sparse = torch::eye(3, torch::kDouble).to_sparse();
        const at::Tensor h = at::_sparse_mm(sparse, t.sin());
        return (z * z.conj()).abs() + h.t().contiguous().t().exp() + t.slice(0, 0, 0).sum() +
               t.expand({2, 3, 4}).sin().sum(0);
      },
      ramp({3, 4}), hashing());
}

TEST(ValueHash, BytesThatNoKernelWroteAreNotHashed) {
  const at::Tensor targets = torch::tensor({1, 2, 1}, torch::kLong);
  const at::Tensor input_lengths = torch::tensor({7, 3}, torch::kLong);
  const at::Tensor target_lengths = torch::tensor({2, 1}, torch::kLong);
  expect_region_same_as_plain(
      [=](const at::Tensor& t) {
        return torch::ctc_loss(t.sin().log_softmax(-1), targets, input_lengths, target_lengths);
      },
      ramp({7, 2, 5}), hashing());
}

TEST(ValueHash, TheWorkspaceOfAnLstmIsNotHashed) {
  torch::manual_seed(1);
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(3, 5).num_layers(2));
  expect_region_same_as_plain(
      [lstm](const at::Tensor& t) mutable {
        const auto [output, state] = lstm->forward(t.sin().to(torch::kFloat));
        return output + std::get<0>(state).sum();
      },
      ramp({4, 2, 3}), hashing());
}

TEST(ValueHash, MetaTensorsHaveNoBytesToHash) {
  const at::Tensor x = torch::ones({3}, at::TensorOptions().device(at::kMeta).requires_grad(true));
  checkpoint(
      hashing(), [](const at::Tensor& t) { return t.sin().exp(); }, x)
      .sum()
      .backward();

  EXPECT_EQ(x.grad().sizes(), c10::IntArrayRef({3}));
  EXPECT_EQ(live_hooks(), 0);
}

// Plain training refuses this one: it has only the changed bytes.
TEST(ValueHash, AValueIsHashedBeforeTheNextOpChangesItInPlace) {
  const at::Tensor x = values({-1, 2, 3}).requires_grad_();
  checkpoint(
      hashing(), [](const at::Tensor& t) { return t.relu().mul_(2); }, x)
      .sum()
      .backward();

  EXPECT_TRUE(is_close(x.grad(), {0, 2, 2}));
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace
}  // namespace reprise
