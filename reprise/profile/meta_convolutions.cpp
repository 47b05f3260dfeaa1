// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ConvUtils.h>
#include <ATen/ops/empty.h>

#include "reprise/profile/meta_kernels.h"

namespace reprise::profile {
namespace {

// One number stands for all dimensions.
std::vector<std::int64_t> for_each_dimension(c10::IntArrayRef numbers, std::size_t dimensions) {
  return numbers.size() == 1 ? std::vector<std::int64_t>(dimensions, numbers[0]) : numbers.vec();
}

// oneDNN, which computes convolutions on the CPU, works on copies that are arranged by blocks of
// channels; tensors of fewer channels it reads as they are. (With AVX-512 blocks are of 16.)
constexpr std::int64_t kBlock = 8;

std::int64_t whole_blocks(std::int64_t channels) {
  return (channels + kBlock - 1) / kBlock * kBlock;
}

at::Tensor arranged(std::vector<std::int64_t> sizes, const at::TensorOptions& options) {
  sizes[1] = whole_blocks(sizes[1]);
  return at::empty(sizes, options);
}

at::Tensor arranged_input(const at::Tensor& tensor) {
  return tensor.size(1) < kBlock ? at::Tensor() : arranged(tensor.sizes().vec(), tensor.options());
}

at::Tensor arranged_weight(const at::Tensor& weight) {
  std::vector<std::int64_t> sizes = weight.sizes().vec();
  sizes[0] = whole_blocks(sizes[0]);
  sizes[1] = sizes[1] < kBlock ? sizes[1] : whole_blocks(sizes[1]);
  return at::empty(sizes, weight.options());
}

// What is made of `read` and `weight`, with the copies that come and go meanwhile. A stride that
// spreads what is read over the result takes one more.
at::Tensor result_of(const std::vector<std::int64_t>& sizes, const at::Tensor& read,
                     const at::Tensor& weight, bool is_spread) {
  const bool is_plain = is_spread && sizes[1] < kBlock;
  const auto make = [&] {
    return is_plain ? at::empty(sizes, read.options()) : arranged(sizes, read.options());
  };
  const at::Tensor arranged_result = make();
  {
    const at::Tensor input = arranged_input(read);
    const at::Tensor weights = arranged_weight(weight);
  }
  const at::Tensor spread = is_spread ? make() : at::Tensor();
  return at::empty(sizes, read.options());
}

bool is_above_one(c10::IntArrayRef numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](std::int64_t each) { return each > 1; });
}

// Whether libtorch leaves the convolution to oneDNN, or does it itself: a small one, or one that is
// a product of matrices. (Its use_mkldnn; what it takes then is not known.)
bool is_by_onednn(const at::Tensor& input, const at::Tensor& weight, c10::IntArrayRef stride,
                  c10::IntArrayRef dilation, std::int64_t groups) {
  constexpr std::int64_t small_elements = 20480;
  constexpr std::int64_t many_images = 16;
  constexpr std::int64_t large_kernel = 3;
  const c10::IntArrayRef kernel = weight.sizes().slice(2);
  const bool is_product = !is_above_one(stride) && !is_above_one(dilation) && !is_above_one(kernel);
  const bool is_small =
      groups == 1 && input.size(0) == 1 && input.numel() <= small_elements &&
      !std::all_of(kernel.begin(), kernel.end(), [](std::int64_t n) { return n > large_kernel; });
  return input.scalar_type() == at::kFloat && at::globalContext().userEnabledMkldnn() &&
         (!is_product || input.size(0) >= many_images || at::get_num_threads() > 1) && !is_small;
}

at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight,
                       const std::optional<at::Tensor>& /*bias*/, c10::IntArrayRef stride,
                       c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed,
                       c10::IntArrayRef output_padding, std::int64_t groups) {
  const std::size_t dimensions = weight.sizes().size() - 2;
  const auto all = [&](c10::IntArrayRef numbers) {
    return for_each_dimension(numbers, dimensions);
  };
  const std::vector<std::int64_t> sizes =
      transposed
          ? at::native::conv_input_size(input.sizes(), weight.sizes(), all(padding),
                                        all(output_padding), all(stride), all(dilation), groups)
          : at::native::conv_output_size(input.sizes(), weight.sizes(), all(padding), all(stride),
                                         all(dilation));
  if (!is_by_onednn(input, weight, stride, dilation, groups)) {
    return at::empty(sizes, input.options());
  }
  return result_of(sizes, input, weight, transposed && is_above_one(stride));
}

at::Tensor weight_gradient(const at::Tensor& grad_output, const at::Tensor& input,
                           const at::Tensor& weight) {
  {
    const at::Tensor inputs = arranged_input(input);
    const at::Tensor gradients = arranged_input(grad_output);
    const at::Tensor gradient = arranged_weight(weight);
  }
  return at::empty(weight.sizes(), weight.options());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight,
    c10::OptionalIntArrayRef bias_sizes, c10::IntArrayRef stride, c10::IntArrayRef /*padding*/,
    c10::IntArrayRef dilation, bool transposed, c10::IntArrayRef /*output_padding*/,
    std::int64_t groups, std::array<bool, 3> output_mask) {
  const bool is_copied = is_by_onednn(input, weight, stride, dilation, groups);
  const auto gradient = grad_output.expect_contiguous();
  at::Tensor grad_input;
  at::Tensor grad_weight;
  at::Tensor grad_bias = output_mask[2] ? at::empty(*bias_sizes, weight.options()) : at::Tensor();
  if (output_mask[0]) {
    grad_input = is_copied ? result_of(input.sizes().vec(), *gradient, weight,
                                       !transposed && is_above_one(stride))
                           : at::empty(input.sizes(), input.options());
  }
  if (output_mask[1]) {
    grad_weight = is_copied ? weight_gradient(*gradient, input, weight)
                            : at::empty(weight.sizes(), weight.options());
  }
  return {std::move(grad_input), std::move(grad_weight), std::move(grad_bias)};
}

}  // namespace

void add_convolution_kernels(const MetaKernelAdder& kernels) {
  kernels.add("convolution", &convolution);
  kernels.add("convolution_backward", &convolution_backward);
}

}  // namespace reprise::profile
