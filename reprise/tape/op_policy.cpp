// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_policy.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <ATen/core/dispatch/Dispatcher.h>

#include "reprise/tape/tape_frame.h"

namespace reprise::tape {
namespace {

constexpr std::array kMatmuls = {
    std::string_view("aten::mm"),     std::string_view("aten::addmm"),
    std::string_view("aten::bmm"),    std::string_view("aten::baddbmm"),
    std::string_view("aten::addbmm"), std::string_view("aten::mv"),
    std::string_view("aten::addmv"),  std::string_view("aten::dot"),
    std::string_view("aten::vdot"),   std::string_view("aten::addr")};
constexpr std::string_view kConvolution = "aten::convolution";
constexpr std::string_view kAttention = "aten::_scaled_dot_product_";

template <class Range, class Name>
bool contains(const Range& names, const Name& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

OpPolicy prefer_to_save_if(std::function<bool(const RegionOp& op)> is_saved) {
  return [is_saved = std::move(is_saved)](const RegionOp& op) {
    return is_saved(op) ? SaveAction::kPreferSave : SaveAction::kPreferRecompute;
  };
}

// Throws std::invalid_argument unless a region may see an op of this name.
void require_seen(const std::string& name) {
  bool is_known = false;
  bool is_seen = false;
  for (const c10::OperatorName& each : c10::Dispatcher::singleton().getAllOpNames()) {
    if (each.name == name) {
      is_known = true;
      if (each.overload_name == "out") {
        continue;  // seldom called, and there also for ops that are never seen themselves
      }
      const auto op = c10::Dispatcher::singleton().findOp(each);
      is_seen = is_seen ||
                (op && !op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd));
    }
  }
  if (!is_known) {
    throw std::invalid_argument("save_ops: expected the name of an operator, like aten::mm; got '" +
                                name + "'");
  }
  if (!is_seen) {
    throw std::invalid_argument(
        "save_ops: '" + name +
        "' only calls other operators, which a region sees in its place: "
        "expected their names (aten::mm or aten::addmm for a linear layer)");
  }
}

}  // namespace

bool must_be_saved(SaveAction action) {
  return action == SaveAction::kMustSave || action == SaveAction::kMustOffload;
}

bool is_offload(SaveAction action) {
  return action == SaveAction::kMustOffload || action == SaveAction::kPreferOffload;
}

OpPolicy save_ops(std::vector<std::string> names) {
  for (const std::string& each : names) {
    require_seen(each);
  }
  return [names = std::move(names)](const RegionOp& op) {
    return contains(names, op.name) ? SaveAction::kMustSave : SaveAction::kPreferRecompute;
  };
}

OpPolicy save_matmuls(std::int64_t every) {
  if (every < 1) {
    throw std::invalid_argument("save_matmuls: expected a positive number, got " +
                                std::to_string(every));
  }
  return [every, seen = std::int64_t{0}](const RegionOp& op) mutable {
    const bool is_saved = contains(kMatmuls, op.name) && seen++ % every == 0;
    return is_saved ? SaveAction::kPreferSave : SaveAction::kPreferRecompute;
  };
}

OpPolicy save_convolutions() {
  return prefer_to_save_if([](const RegionOp& op) { return op.name == kConvolution; });
}

OpPolicy save_attention() {
  return prefer_to_save_if([](const RegionOp& op) { return op.name.starts_with(kAttention); });
}

OpPolicy save_larger_than(std::int64_t bytes) {
  if (bytes < 0) {
    throw std::invalid_argument("save_larger_than: expected a number of bytes, got " +
                                std::to_string(bytes));
  }
  return prefer_to_save_if([bytes](const RegionOp& op) { return op.bytes > bytes; });
}

NamePolicy save_only(std::vector<std::string> names) {
  return [names = std::move(names)](const std::string& name) {
    return contains(names, name) ? SaveAction::kPreferSave : SaveAction::kPreferRecompute;
  };
}

NamePolicy save_any_but(std::vector<std::string> names) {
  return [names = std::move(names)](const std::string& name) {
    return contains(names, name) ? SaveAction::kPreferRecompute : SaveAction::kPreferSave;
  };
}

at::Tensor name(const at::Tensor& x, const std::string& name) {
  if (auto* const frame = dynamic_cast<TapeFrame*>(top_frame())) {
    frame->name_value(x, name);
  }
  return x;
}

}  // namespace reprise::tape
