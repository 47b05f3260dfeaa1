// SPDX-License-Identifier: Apache-2.0
// Generators of another device than the CPU. An executable of its own, as a device is registered
// for the whole process.
#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/second_device.h"
#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_same_as_plain;
using support::kSecondGeneratorBytes;
using support::Nest;
using support::ramp;
using support::second_device;
using support::Step;

constexpr std::int64_t kCpuGeneratorBytes = 5056;

at::TensorOptions there() { return at::TensorOptions().dtype(at::kDouble).device(second_device()); }

void seed_second_device() {
  at::Generator generator = at::globalContext().defaultGenerator(second_device());
  generator.set_current_seed(7);
}

at::Tensor input() { return ramp({32}).to(second_device()).requires_grad_(); }

TEST(SecondDevice, DrawsNumbersOfItsOwn) {
  seed_second_device();
  const at::Tensor first = torch::rand({32}, there());
  const at::Tensor second = torch::rand({32}, there());
  seed_second_device();

  EXPECT_FALSE(support::bitwise_equal(first, second));
  EXPECT_TRUE(support::bitwise_equal(first, torch::rand({32}, there())));
}

// The thread of the device belongs to the engine that ran the first backward of the process.
TEST(SecondDevice, TheFirstRegionMayComeAfterAPlainBackward) {
  const at::Tensor plain = input();
  plain.sin().exp().sum().backward();

  const at::Tensor x = input();
  checkpoint([](const at::Tensor& t) { return t.sin().exp(); }, x).sum().backward();

  EXPECT_TRUE(support::bitwise_equal(x.grad(), plain.grad()));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(SecondDevice, ItsThreadRunsBackwardsOverARetainedGraph) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    seed_second_device();
    const at::Tensor x = input();
    const at::Tensor y = region(
        [](const at::Tensor& t) { return torch::dropout(t.exp().sin(), .5, true).exp(); }, x);
    y.sum().backward({}, /*retain_graph=*/true);
    y.sum().backward({}, /*retain_graph=*/true);
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 2);
}

TEST(SecondDevice, ItsDefaultGeneratorIsRestoredAndItsStreamGoesOnAsInPlain) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    seed_second_device();
    const at::Tensor x = input();
    const at::Tensor y =
        region([](const at::Tensor& t) { return torch::dropout(t.exp(), .5, true).sin(); }, x);
    const at::Tensor between = torch::rand({2}, there());
    y.sum().backward();
    const at::Tensor after = torch::rand({2}, there());
    return Step{.outputs = {y, between, after}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].outputs[0].device(), second_device());
  EXPECT_EQ(runs[1].counts.reruns, 1);
  EXPECT_EQ(runs[1].counts.kept_bytes, kSecondGeneratorBytes);
}

TEST(SecondDevice, AFactoryThatNamesItIsRepeated) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    seed_second_device();
    const at::Tensor x = input();
    const at::Tensor y =
        region([](const at::Tensor& t) { return (t * torch::rand({32}, there())).sin(); }, x);
    y.sum().backward();
    return Step{.outputs = {y, torch::rand({2}, there())}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.kept_bytes, kSecondGeneratorBytes);
}

TEST(SecondDevice, AGeneratorOfItThatIsPassedToAnOpIsRestored) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    seed_second_device();
    const at::Generator own = support::make_second_generator(11);
    const at::Tensor x = input();
    const at::Tensor y = region(
        [own](const at::Tensor& t) { return (t * at::empty_like(t).bernoulli_(.5, own)).sin(); },
        x);
    y.sum().backward();
    return Step{
        .outputs = {y, at::empty({2}, there()).uniform_(0, 1, own), torch::rand({2}, there())},
        .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.kept_bytes, kSecondGeneratorBytes);
}

TEST(SecondDevice, ARegionThatDrawsOnBothDevicesRestoresBothGenerators) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    seed_second_device();
    const at::Tensor x = input();
    const at::Tensor y = region(
        [](const at::Tensor& t) {
          const at::Tensor noise = torch::rand({32}, at::kDouble).to(second_device());
          return torch::dropout(t * noise, .5, true).sin();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y, torch::rand({2}), torch::rand({2}, there())}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.kept_bytes, kSecondGeneratorBytes + kCpuGeneratorBytes);
}

}  // namespace
}  // namespace reprise
