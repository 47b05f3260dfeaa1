// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_kernels.h"

#include <array>
#include <string>
#include <tuple>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_reshape_alias_ops.h>
#include <ATen/ops/_safe_softmax_ops.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/_to_copy_ops.h>
#include <ATen/ops/_unsafe_view_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/alias_ops.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bernoulli_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/convolution_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/detach_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/embedding_ops.h>
#include <ATen/ops/empty_like_ops.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/expand_ops.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/log_ops.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/max_pool2d_with_indices_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/native_batch_norm_ops.h>
#include <ATen/ops/native_dropout_ops.h>
#include <ATen/ops/native_group_norm_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/nll_loss2d_forward_ops.h>
#include <ATen/ops/nll_loss_forward_ops.h>
#include <ATen/ops/ones_like_ops.h>
#include <ATen/ops/ones_ops.h>
#include <ATen/ops/permute_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/scalar_tensor_ops.h>
#include <ATen/ops/select_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/slice_ops.h>
#include <ATen/ops/split_ops.h>
#include <ATen/ops/split_with_sizes_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/squeeze_ops.h>
#include <ATen/ops/stack_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/t_ops.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/transpose_ops.h>
#include <ATen/ops/tril_ops.h>
#include <ATen/ops/unbind_ops.h>
#include <ATen/ops/unsafe_split_ops.h>
#include <ATen/ops/unsqueeze_ops.h>
#include <ATen/ops/view_ops.h>
#include <ATen/ops/where_ops.h>
#include <ATen/ops/zero_ops.h>
#include <ATen/ops/zeros_like_ops.h>
#include <ATen/ops/zeros_ops.h>
#include <torch/library.h>

#include "reprise/tape/frame.h"

namespace reprise::tape {
namespace {

template <class... Results>
void show_results(const c10::OperatorHandle& op, const std::tuple<Results...>& results) {
  std::apply(
      [&op](const auto&... each) {
        const std::array<c10::IValue, sizeof...(Results)> values{c10::IValue(each)...};
        show_after(op, values);
      },
      results);
}

template <class Result>
void show_results(const c10::OperatorHandle& op, const Result& result) {
  show_after(op, c10::IValue(result));
}

template <class Op, bool is_view, class Schema = typename Op::schema>
struct OpKernel;

template <class Op, bool is_view, class Result, class... Arguments>
struct OpKernel<Op, is_view, Result(Arguments...)> {
  static Result run(c10::DispatchKeySet keys, Arguments... arguments) {
    const Sight sight = sight_of_ops(is_view);
    if (sight == Sight::kNone) {
      const UnseenOps unseen;  // ops that the kernel calls
      return run_below(keys, std::forward<Arguments>(arguments)...);
    }
    static const c10::OperatorHandle op =
        c10::Dispatcher::singleton().findSchemaOrThrow(Op::name, Op::overload_name);
    if (sight == Sight::kMayChange) {
      return c10::impl::BoxedKernelWrapper<Result(Arguments...)>::call(
          c10::BoxedKernel::makeFromFunction<&see_boxed>(), op, keys,
          std::forward<Arguments>(arguments)...);
    }
    const UnseenOps unseen;
    show_before(op, keys, std::array<c10::IValue, sizeof...(Arguments)>{c10::IValue(arguments)...});
    Result result = run_below(keys, std::forward<Arguments>(arguments)...);
    show_results(op, result);
    return result;
  }

  static Result run_below(c10::DispatchKeySet keys, Arguments... arguments) {
    return Op::redispatch(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kTapeKey),
                          std::forward<Arguments>(arguments)...);
  }
};

template <bool are_views, class... Ops>
void register_kernels(torch::Library& library) {
  const auto add = [&]<class Op>(Op* /*type*/) {
    std::string name = Op::name;
    if (*Op::overload_name != '\0') {
      name.append(".").append(Op::overload_name);
    }
    library.impl(name.c_str(), torch::CppFunction(&OpKernel<Op, are_views>::run));
  };
  (add(static_cast<Ops*>(nullptr)), ...);
}

}  // namespace

void install_op_kernels() {
  // Never taken back: ops of other threads may be in flight at exit.
  static auto& library =
      *new torch::Library(torch::Library::IMPL, "aten", kTapeKey, __FILE__, __LINE__);
  namespace ops = at::_ops;
  register_kernels<true, ops::_reshape_alias, ops::_unsafe_view, ops::alias, ops::as_strided,
                   ops::detach, ops::expand, ops::permute, ops::select_int, ops::slice_Tensor,
                   ops::split_Tensor, ops::split_with_sizes, ops::squeeze_dim, ops::t,
                   ops::transpose_int, ops::unbind_int, ops::unsafe_split_Tensor, ops::unsqueeze,
                   ops::view>(library);
  register_kernels<false, ops::_log_softmax, ops::_safe_softmax,
                   ops::_scaled_dot_product_flash_attention_for_cpu, ops::_softmax, ops::_to_copy,
                   ops::add_Scalar, ops::add_Tensor, ops::add__Scalar, ops::add__Tensor, ops::addmm,
                   ops::baddbmm, ops::bernoulli__float, ops::bmm, ops::cat, ops::clone,
                   ops::convolution, ops::copy_, ops::div_Scalar, ops::div_Tensor, ops::div__Scalar,
                   ops::div__Tensor, ops::embedding, ops::empty_like, ops::empty_memory_format,
                   ops::exp, ops::fill__Scalar, ops::gelu, ops::log, ops::masked_fill_Scalar,
                   ops::masked_fill__Scalar, ops::max_pool2d_with_indices, ops::mean, ops::mean_dim,
                   ops::mm, ops::mul_Scalar, ops::mul_Tensor, ops::mul__Scalar, ops::mul__Tensor,
                   ops::native_batch_norm, ops::native_dropout, ops::native_group_norm,
                   ops::native_layer_norm, ops::neg, ops::nll_loss2d_forward, ops::nll_loss_forward,
                   ops::ones, ops::ones_like, ops::pow_Tensor_Scalar, ops::relu, ops::relu_,
                   ops::rsqrt, ops::scalar_tensor, ops::sigmoid, ops::sigmoid_, ops::silu,
                   ops::silu_, ops::sqrt, ops::stack, ops::sub_Scalar, ops::sub_Tensor,
                   ops::sub__Tensor, ops::sum, ops::sum_dim_IntList, ops::tanh, ops::tanh_,
                   ops::tril, ops::where_self, ops::zero_, ops::zeros, ops::zeros_like>(library);
}

}  // namespace reprise::tape
