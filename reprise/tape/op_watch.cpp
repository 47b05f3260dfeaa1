// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_watch.h"

namespace reprise::tape {

void OpWatch::before_op(const c10::OperatorHandle& op, OpArguments arguments) {
  ops.push_back(&op.schema());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isTensor() && !arguments[i].isList()) {
      continue;
    }
    const bool is_written = writes_argument(op, arguments, i);
    for_each_tensor(arguments[i],
                    [&](const at::Tensor& tensor) { outside.before_use(tensor, is_written); });
  }
  if (is_random(op)) {
    if (keeps_random_states) {
      random.before_random_op(arguments);
    } else {
      ++unpreserved_random;
    }
  }
}

void OpWatch::after_op(OpArguments results) {
  for (const c10::IValue& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) { outside.after_result(tensor); });
  }
}

}  // namespace reprise::tape
