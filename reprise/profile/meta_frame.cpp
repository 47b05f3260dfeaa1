// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/meta_frame.h"

#include <mutex>
#include <utility>

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>

#include "reprise/profile/cpu_workspace.h"
#include "reprise/tape/counting_allocator.h"
#include "reprise/tape/tensor_view.h"

namespace reprise::profile {
namespace {

// The engine's reference to a gradient, and the one of the op that takes it.
constexpr std::size_t kEngineAndOp = 2;

bool has_no_dropout(const c10::OperatorHandle& op, tape::OpArguments arguments) {
  const std::optional<int> index = op.schema().argumentIndexWithName("dropout_p");
  return index && arguments[static_cast<std::size_t>(*index)].toDouble() == 0;
}

// Kernels without bytes draw nothing, and the states of generators that nobody draws from are equal
// and so kept once.
void draw_as_on_cpu(const c10::OperatorHandle& op, tape::OpArguments arguments) {
  if (!tape::is_random(op) || has_no_dropout(op, arguments)) {
    return;
  }
  at::Generator generator = tape::generator_of(arguments);
  if (generator.device().is_cpu()) {
    const std::scoped_lock lock(generator.mutex());
    at::check_generator<at::CPUGeneratorImpl>(generator)->random();
  }
}

}  // namespace

std::unique_ptr<torch::autograd::SavedVariableHooks> MetaFrame::make_hooks() {
  return passes_ == nullptr ? nullptr : passes_->make_hooks();
}

void MetaFrame::change_arguments(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const auto& arguments = op.schema().arguments();
  const std::size_t first = stack.size() - arguments.size();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name() == "device") {
      stack[first + i] = c10::Device(c10::kMeta);
    }
  }
}

// Where the engine adds a gradient to one that nobody else holds, it writes the sum into that, but
// on the meta device (can_accumulate_inplace of libtorch's input_buffer.cpp).
bool MetaFrame::is_sum_in_place(tape::OpArguments arguments) const {
  if (op_under_way_ != "aten::add" || !EngineWatch::is_between_nodes() ||
      c10::GradMode::is_enabled() || !arguments[1].isTensor()) {
    return false;
  }
  const at::Tensor& sum = arguments[0].toTensor();
  return sum.is_meta() && tape::has_dense_storage(sum) && sum.is_non_overlapping_and_dense() &&
         sum.use_count() == kEngineAndOp && sum.storage().use_count() == 1;
}

void MetaFrame::before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                          tape::OpArguments arguments) {
  give_up_op();  // if it has thrown
  op_under_way_ = op.schema().name();
  if (is_sum_in_place(arguments)) {
    sum_in_place_.emplace();
  }
  arguments_.assign(arguments.begin(), arguments.end());
  if (passes_ != nullptr) {
    passes_->before_op(op, keys, arguments);
  }
  workspace_bytes_ = cpu_workspace_bytes(op, arguments);
  tape::count_as_cpu_memory(workspace_bytes_);
}

void MetaFrame::after_op(const c10::OperatorHandle& op, tape::OpArguments results) {
  clock_us_ += estimated_us(work_of(op, arguments_, results), speed_);
  draw_as_on_cpu(op, arguments_);
  if (sum_in_place_) {
    results[0].toTensor().unsafeGetTensorImpl()->set_storage_keep_dtype(
        arguments_[0].toTensor().storage());
  }
  for (const c10::IValue& result : results) {
    tape::for_each_tensor(result, [](const at::Tensor& tensor) {
      if (tensor.is_meta() && tensor.has_storage()) {
        tape::count_again(*tensor.storage().unsafeGetStorageImpl());
      }
    });
  }
  give_up_op();
  if (passes_ != nullptr) {
    passes_->after_op(op, results);
  }
}

void MetaFrame::give_up_op() {
  sum_in_place_.reset();
  tape::count_as_cpu_memory(-std::exchange(workspace_bytes_, 0));
  arguments_.clear();
  op_under_way_.clear();
}

}  // namespace reprise::profile
