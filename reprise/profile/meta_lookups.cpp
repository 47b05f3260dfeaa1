// SPDX-License-Identifier: Apache-2.0
// Elements that are chosen or looked up, and losses over images.
#include <tuple>
#include <vector>

#include <ATen/ExpandUtils.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/result_type.h>

#include "reprise/profile/meta_kernels.h"

namespace reprise::profile {
namespace {

at::Tensor index_select(const at::Tensor& self, std::int64_t dim, const at::Tensor& index) {
  std::vector<std::int64_t> sizes = self.sizes().vec();
  if (!sizes.empty()) {
    sizes[static_cast<std::size_t>(c10::maybe_wrap_dim(dim, self.dim()))] = index.numel();
  }
  at::Tensor result = at::empty(sizes, self.options());
  const auto dense_index = index.expect_contiguous();
  return result;
}

at::Tensor relu(const at::Tensor& self) { return at::empty_like(self); }

at::Tensor where(const at::Tensor& condition, const at::Tensor& self, const at::Tensor& other) {
  const std::vector<std::int64_t> sizes =
      at::infer_size(condition.sizes(), at::infer_size(self.sizes(), other.sizes()));
  return at::empty(sizes, condition.options().dtype(at::result_type(self, other)));
}

at::Tensor& where_out(const at::Tensor& /*condition*/, const at::Tensor& /*self*/,
                      const at::Tensor& /*other*/, at::Tensor& out) {
  return out;
}

at::Tensor embedding_dense_backward(const at::Tensor& grad_output, const at::Tensor& indices,
                                    std::int64_t num_weights, std::int64_t /*padding_idx*/,
                                    bool /*scale_grad_by_freq*/) {
  const auto dense_indices = indices.expect_contiguous();
  const auto dense_grad = grad_output.expect_contiguous();
  return at::empty({num_weights, grad_output.size(-1)}, grad_output.options());
}

std::tuple<at::Tensor, at::Tensor> nll_loss2d_forward(const at::Tensor& self,
                                                      const at::Tensor& target,
                                                      const std::optional<at::Tensor>& /*weight*/,
                                                      std::int64_t reduction,
                                                      std::int64_t /*ignore_index*/) {
  at::Tensor output = reduction == at::Reduction::None ? at::empty(target.sizes(), self.options())
                                                       : at::empty({}, self.options());
  at::Tensor total_weight = at::empty({}, self.options());
  const auto dense_self = self.expect_contiguous();
  const auto dense_target = target.expect_contiguous();
  return {output, total_weight};
}

at::Tensor nll_loss2d_backward(const at::Tensor& /*grad_output*/, const at::Tensor& self,
                               const at::Tensor& target,
                               const std::optional<at::Tensor>& /*weight*/,
                               std::int64_t /*reduction*/, std::int64_t /*ignore_index*/,
                               const at::Tensor& /*total_weight*/) {
  at::Tensor grad_input = at::empty_like(self, at::MemoryFormat::Contiguous);
  const auto dense_target = target.expect_contiguous();
  return grad_input;
}

}  // namespace

void add_lookup_kernels(const MetaKernelAdder& kernels) {
  kernels.add("relu", &relu);
  kernels.add("where.self", &where);
  kernels.add("where.self_out", &where_out);
  kernels.add("index_select", &index_select);
  kernels.add("embedding_dense_backward", &embedding_dense_backward);
  kernels.add("nll_loss2d_forward", &nll_loss2d_forward);
  kernels.add("nll_loss2d_backward", &nll_loss2d_backward);
}

}  // namespace reprise::profile
