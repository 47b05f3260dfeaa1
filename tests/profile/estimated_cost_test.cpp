// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/estimated_cost.h"

#include <array>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

namespace reprise::profile {
namespace {

using Values = std::vector<c10::IValue>;

at::Tensor floats(const std::vector<std::int64_t>& sizes) {
  return at::empty(sizes, at::TensorOptions(at::kMeta).dtype(at::kFloat));
}

at::Tensor numbers(const std::vector<std::int64_t>& sizes) {
  return at::empty(sizes, at::TensorOptions(at::kMeta).dtype(at::kLong));
}

OpWork work(const std::string& op, const Values& arguments, const Values& results) {
  const std::size_t dot = op.find('.');
  const std::string overload = dot == std::string::npos ? "" : op.substr(dot + 1);
  return work_of(
      c10::Dispatcher::singleton().findSchemaOrThrow(op.substr(0, dot).c_str(), overload.c_str()),
      arguments, results);
}

TEST(WorkOf, MultipliesAndAddsForEachElementOfAProduct) {
  const OpWork of_mm = work("aten::mm", {floats({3, 5}), floats({5, 7})}, {floats({3, 7})});
  EXPECT_EQ(of_mm.flops, 2 * 3 * 5 * 7);
  EXPECT_EQ(of_mm.bytes, 4 * (3 * 5 + 5 * 7 + 3 * 7));
  const OpWork of_addmm =
      work("aten::addmm", {floats({7}), floats({3, 5}), floats({5, 7}), 1, 1}, {floats({3, 7})});
  EXPECT_EQ(of_addmm.flops, 2 * 3 * 5 * 7);
  EXPECT_EQ(of_addmm.bytes, 4 * (7 + 3 * 5 + 5 * 7 + 3 * 7));
  EXPECT_EQ(work("aten::bmm", {floats({2, 3, 5}), floats({2, 5, 7})}, {floats({2, 3, 7})}).flops,
            2 * (2 * 3 * 5 * 7));
  EXPECT_EQ(work("aten::mv", {floats({3, 5}), floats({5})}, {floats({3})}).flops, 2 * 3 * 5);
}

// 2 images of 8 x 8, from 3 to 4 channels with a kernel of 3 x 3: each of the 2 * 4 * 64 results is
// a sum of 3 * 9 products.
const std::vector<std::int64_t> kInput = {2, 3, 8, 8};
const std::vector<std::int64_t> kWeight = {4, 3, 3, 3};
const std::vector<std::int64_t> kOutput = {2, 4, 8, 8};
constexpr double kConvolutionFlops = 2 * (2 * 4 * 64) * (3 * 9);

c10::List<std::int64_t> pair(std::int64_t number) { return {number, number}; }

OpWork backward_work(std::array<bool, 3> mask) {
  const c10::List<bool> wanted = {mask[0], mask[1], mask[2]};
  return work("aten::convolution_backward",
              {floats(kOutput), floats(kInput), floats(kWeight), c10::IValue(), pair(1), pair(1),
               pair(1), false, pair(0), 1, wanted},
              {mask[0] ? floats(kInput) : at::Tensor(), mask[1] ? floats(kWeight) : at::Tensor(),
               at::Tensor()});
}

TEST(WorkOf, CountsThePixelsOfAConvolution) {
  EXPECT_EQ(work("aten::convolution",
                 {floats(kInput), floats(kWeight), c10::IValue(), pair(1), pair(1), pair(1), false,
                  pair(0), 1},
                 {floats(kOutput)})
                .flops,
            kConvolutionFlops);
  EXPECT_EQ(backward_work({true, true, false}).flops, 2 * kConvolutionFlops);
  EXPECT_EQ(backward_work({false, true, false}).flops, kConvolutionFlops);
}

TEST(WorkOf, CountsTheInputsOfATransposedConvolution) {
  // Each of the 2 * 3 * 16 inputs is spread over 4 channels of 2 x 2 pixels.
  EXPECT_EQ(work("aten::convolution",
                 {floats({2, 3, 4, 4}), floats({3, 4, 2, 2}), c10::IValue(), pair(2), pair(0),
                  pair(1), true, pair(0), 1},
                 {floats({2, 4, 8, 8})})
                .flops,
            2 * (2 * 3 * 16) * (4 * 4));
}

TEST(WorkOf, CountsTheScoresOfAttention) {
  const std::vector<std::int64_t> sizes = {1, 2, 8, 4};
  const at::Tensor x = floats(sizes);
  const at::Tensor sums = floats({1, 2, 8});
  constexpr double kForward = 2 * (2 * 8 * 8) * (4 + 4);
  const std::string op = "aten::_scaled_dot_product_flash_attention_for_cpu";
  const c10::IValue none;
  EXPECT_EQ(work(op, {x, x, x, 0.0, false, none, none}, {floats(sizes), sums}).flops, kForward);
  EXPECT_EQ(work(op, {x, x, x, 0.0, true, none, none}, {floats(sizes), sums}).flops, kForward / 2);
  EXPECT_EQ(work(op + "_backward", {x, x, x, x, x, sums, 0.0, false, none, none},
                 {floats(sizes), floats(sizes), floats(sizes)})
                .flops,
            2.5 * kForward);
}

TEST(WorkOf, MovesWhatIsReadAndWritten) {
  const at::Tensor x = floats({10});
  EXPECT_EQ(work("aten::add.Tensor", {x, floats({10}), 1}, {floats({10})}).bytes, 3 * 40);
  EXPECT_EQ(work("aten::relu_", {x}, {x}).bytes, 2 * 40);
  EXPECT_EQ(work("aten::zero_", {x}, {x}).bytes, 40);
  EXPECT_EQ(work("aten::copy_", {x, floats({10}), false}, {x}).bytes, 2 * 40);
}

TEST(WorkOf, MovesTheBytesBehindAnExpandedTensorOnce) {
  EXPECT_EQ(
      work("aten::mul.Tensor", {floats({1}).expand({10}), floats({10})}, {floats({10})}).bytes,
      4 + 40 + 40);
}

TEST(WorkOf, MovesOfATableOnlyWhatIsLookedUp) {
  EXPECT_EQ(
      work("aten::embedding", {floats({1000, 4}), numbers({3}), -1, false, false}, {floats({3, 4})})
          .bytes,
      2 * (3 * 4 * 4) + 3 * 8);
}

TEST(WorkOf, IsNothingForViewsAndForMemoryThatIsOnlySetAside) {
  const at::Tensor x = floats({6});
  EXPECT_EQ(work("aten::t", {x}, {x.t()}).bytes, 0);
  EXPECT_EQ(
      work("aten::_unsafe_view", {x, c10::List<std::int64_t>({2, 3})}, {x.view({2, 3})}).bytes, 0);
  EXPECT_EQ(work("aten::empty_like",
                 {x, c10::IValue(), c10::IValue(), c10::IValue(), c10::IValue(), c10::IValue()},
                 {floats({6})})
                .bytes,
            0);
}

TEST(EstimatedUs, IsTheLongerOfArithmeticAndTraffic) {
  const MachineSpeed speed{.gflops = 2, .gbytes_per_s = 4};
  EXPECT_EQ(estimated_us({.flops = 6000, .bytes = 4000}, speed), 3);
  EXPECT_EQ(estimated_us({.flops = 6000, .bytes = 20000}, speed), 5);
}

}  // namespace
}  // namespace reprise::profile
