// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/view_kernels.h"

#include <string>
#include <utility>

#include <ATen/ops/alias_ops.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/detach_ops.h>
#include <ATen/ops/expand_ops.h>
#include <ATen/ops/permute_ops.h>
#include <ATen/ops/select_ops.h>
#include <ATen/ops/slice_ops.h>
#include <ATen/ops/split_ops.h>
#include <ATen/ops/squeeze_ops.h>
#include <ATen/ops/t_ops.h>
#include <ATen/ops/transpose_ops.h>
#include <ATen/ops/unsqueeze_ops.h>
#include <ATen/ops/view_ops.h>
#include <torch/library.h>

#include "reprise/tape/frame.h"

namespace reprise::tape {
namespace {

// Set before the first kernel is registered, and never again.
ViewKernels installed{};

template <class Op, class Schema = typename Op::schema>
struct ViewKernel;

template <class Op, class Result, class... Arguments>
struct ViewKernel<Op, Result(Arguments...)> {
  static Result run(c10::DispatchKeySet keys, Arguments... arguments) {
    if (!installed.are_seen()) {
      const UnseenOps unseen;  // what a view is made of
      return Op::redispatch(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kTapeKey),
                            std::forward<Arguments>(arguments)...);
    }
    static const c10::OperatorHandle op =
        c10::Dispatcher::singleton().findSchemaOrThrow(Op::name, Op::overload_name);
    torch::jit::Stack stack;
    torch::jit::push(stack, std::forward<Arguments>(arguments)...);
    installed.see(op, keys, &stack);
    return torch::jit::pop(stack).to<Result>();
  }
};

template <class... Ops>
void register_kernels(torch::Library& library) {
  const auto add = [&]<class Op>(Op* /*type*/) {
    std::string name = Op::name;
    if (*Op::overload_name != '\0') {
      name.append(".").append(Op::overload_name);
    }
    library.impl(name.c_str(), torch::CppFunction(&ViewKernel<Op>::run));
  };
  (add(static_cast<Ops*>(nullptr)), ...);
}

}  // namespace

void install_view_kernels(const ViewKernels& kernels) {
  installed = kernels;
  // Never taken back: ops of other threads may be in flight at exit.
  static auto& library =
      *new torch::Library(torch::Library::IMPL, "aten", kTapeKey, __FILE__, __LINE__);
  using namespace at::_ops;
  register_kernels<alias, as_strided, detach, expand, permute, select_int, slice_Tensor,
                   split_Tensor, squeeze_dim, t, transpose_int, unsqueeze, view>(library);
}

}  // namespace reprise::tape
