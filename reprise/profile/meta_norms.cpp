// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <tuple>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "reprise/profile/meta_kernels.h"

namespace reprise::profile {
namespace {

using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using MaybeTensor = std::optional<at::Tensor>;

at::Tensor dense_like(const at::Tensor& tensor) {
  return at::empty_like(tensor, at::MemoryFormat::Contiguous);
}

// Of `wanted`: a gradient for each element along the normalised part.
at::Tensor parameter_gradient(bool wanted, c10::IntArrayRef sizes, const at::Tensor& like) {
  return wanted ? at::empty(sizes, like.options()) : at::Tensor();
}

Three native_layer_norm(const at::Tensor& input, c10::IntArrayRef normalized_shape,
                        const MaybeTensor& /*weight*/, const MaybeTensor& /*bias*/,
                        double /*eps*/) {
  const auto x = input.expect_contiguous();
  const std::size_t outer = input.sizes().size() - normalized_shape.size();
  std::vector<std::int64_t> sizes = input.sizes().slice(0, outer).vec();
  sizes.resize(input.sizes().size(), 1);
  at::Tensor result = dense_like(*x);
  at::Tensor mean = at::empty(sizes, input.options());
  at::Tensor rstd = at::empty(sizes, input.options());
  return {std::move(result), std::move(mean), std::move(rstd)};
}

Three native_layer_norm_backward(const at::Tensor& grad_out, const at::Tensor& input,
                                 c10::IntArrayRef normalized_shape, const at::Tensor& /*mean*/,
                                 const at::Tensor& /*rstd*/, const MaybeTensor& /*weight*/,
                                 const MaybeTensor& /*bias*/, std::array<bool, 3> output_mask) {
  const auto grad = grad_out.expect_contiguous();
  const auto x = input.expect_contiguous();
  at::Tensor grad_input = output_mask[0] ? dense_like(*x) : at::Tensor();
  at::Tensor grad_weight = parameter_gradient(output_mask[1], normalized_shape, input);
  at::Tensor grad_bias = parameter_gradient(output_mask[2], normalized_shape, input);
  if (output_mask[1] || output_mask[2]) {
    // What each thread adds up.
    const at::Tensor sums = at::empty(
        {2, at::get_num_threads(), c10::multiply_integers(normalized_shape)}, input.options());
  }
  return {std::move(grad_input), std::move(grad_weight), std::move(grad_bias)};
}

Three native_group_norm(const at::Tensor& input, const MaybeTensor& /*weight*/,
                        const MaybeTensor& /*bias*/, std::int64_t n, std::int64_t /*c*/,
                        std::int64_t /*hxw*/, std::int64_t group, double /*eps*/) {
  const at::Tensor x = input.contiguous(input.suggest_memory_format());
  at::Tensor result = at::empty_like(x);
  at::Tensor mean = at::empty({n, group}, input.options());
  at::Tensor rstd = at::empty({n, group}, input.options());
  return {std::move(result), std::move(mean), std::move(rstd)};
}

Three native_group_norm_backward(const at::Tensor& /*grad_out*/, const at::Tensor& input,
                                 const at::Tensor& /*mean*/, const at::Tensor& /*rstd*/,
                                 const MaybeTensor& /*weight*/, std::int64_t n, std::int64_t c,
                                 std::int64_t /*hxw*/, std::int64_t /*group*/,
                                 std::array<bool, 3> output_mask) {
  at::Tensor grad_input = output_mask[0] ? at::empty_like(input) : at::Tensor();
  at::Tensor grad_weight = parameter_gradient(output_mask[1], {c}, input);
  at::Tensor grad_bias = parameter_gradient(output_mask[2], {c}, input);
  // Sums per sample and channel.
  const at::Tensor ds = at::empty({n, c}, input.options());
  const at::Tensor db = at::empty({n, c}, input.options());
  return {std::move(grad_input), std::move(grad_weight), std::move(grad_bias)};
}

Three native_batch_norm(const at::Tensor& input, const MaybeTensor& /*weight*/,
                        const MaybeTensor& /*bias*/, const MaybeTensor& /*running_mean*/,
                        const MaybeTensor& /*running_var*/, bool training, double /*momentum*/,
                        double /*eps*/) {
  const std::int64_t channels = input.size(1);
  const std::int64_t kept = training ? channels : 0;
  at::Tensor result = at::empty_like(input, input.suggest_memory_format());
  at::Tensor mean = at::empty({kept}, input.options());
  at::Tensor invstd = at::empty({kept}, input.options());
  // What the input is multiplied with, and what is added.
  const at::Tensor alpha = at::empty({channels}, input.options());
  const at::Tensor beta = at::empty({channels}, input.options());
  return {std::move(result), std::move(mean), std::move(invstd)};
}

Three native_batch_norm_backward(const at::Tensor& grad_out, const at::Tensor& input,
                                 const MaybeTensor& /*weight*/, const MaybeTensor& /*running_mean*/,
                                 const MaybeTensor& /*running_var*/,
                                 const MaybeTensor& /*save_mean*/,
                                 const MaybeTensor& /*save_invstd*/, bool /*train*/, double /*eps*/,
                                 std::array<bool, 3> output_mask) {
  const std::int64_t channels = input.size(1);
  at::Tensor grad_input =
      output_mask[0] ? at::empty_like(input, input.suggest_memory_format()) : at::Tensor();
  at::Tensor grad_weight = parameter_gradient(output_mask[1], {channels}, input);
  at::Tensor grad_bias = parameter_gradient(output_mask[2], {channels}, input);
  // The gradient before it is scaled, or sums per channel where it is not computed at one go.
  const at::Tensor unscaled = !output_mask[0]            ? at::Tensor()
                              : grad_out.is_contiguous() ? at::empty_like(input)
                                                         : at::empty({channels}, input.options());
  return {std::move(grad_input), std::move(grad_weight), std::move(grad_bias)};
}

}  // namespace

void add_norm_kernels(const MetaKernelAdder& kernels) {
  kernels.add("native_layer_norm", &native_layer_norm);
  kernels.add("native_layer_norm_backward", &native_layer_norm_backward);
  kernels.add("native_group_norm", &native_group_norm);
  kernels.add("native_group_norm_backward", &native_group_norm_backward);
  kernels.add("native_batch_norm", &native_batch_norm);
  kernels.add("native_batch_norm_backward", &native_batch_norm_backward);
}

}  // namespace reprise::profile
