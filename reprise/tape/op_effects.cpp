// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_effects.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

#include "reprise/tape/never_replay.h"

namespace reprise::tape {
namespace {

// Ops that write running statistics without declaring it, and the flag that makes them do so.
struct UndeclaredWrite {
  std::string_view op;
  std::string_view flag;  // a bool argument; empty: always
};

constexpr std::array kUndeclaredWrites = {
    UndeclaredWrite{"aten::native_batch_norm", "training"},
    UndeclaredWrite{"aten::cudnn_batch_norm", "training"},
    UndeclaredWrite{"aten::miopen_batch_norm", "training"},
    UndeclaredWrite{"aten::batch_norm_gather_stats", ""},
    UndeclaredWrite{"aten::batch_norm_gather_stats_with_counts", ""},
    UndeclaredWrite{"aten::batch_norm_update_stats", ""},
};

struct PartlyUnwritten {
  std::string_view op;
  std::size_t result;
};

constexpr std::array kPartlyUnwritten = {
    PartlyUnwritten{"aten::_ctc_loss", 1},         // log_alpha
    PartlyUnwritten{"aten::_cudnn_ctc_loss", 1},   // gradient
    PartlyUnwritten{"aten::mkldnn_rnn_layer", 3},  // workspace
    PartlyUnwritten{"aten::_cudnn_rnn", 3},        // reserve
    PartlyUnwritten{"aten::miopen_rnn", 3},        // reserve
};

bool is_set(const c10::FunctionSchema& schema, OpArguments arguments, std::string_view flag) {
  if (flag.empty()) {
    return true;
  }
  const auto index = schema.argumentIndexWithName(flag);
  return index.has_value() && arguments[static_cast<std::size_t>(*index)].toBool();
}

bool writes_undeclared(const c10::FunctionSchema& schema, OpArguments arguments,
                       std::size_t index) {
  // Cheap test first: this runs for every op of a region.
  if (schema.name().find("batch_norm") == std::string::npos) {
    return false;
  }
  const std::string& argument = schema.arguments()[index].name();
  if (argument != "running_mean" && argument != "running_var") {
    return false;
  }
  const auto* const entry =
      std::find_if(kUndeclaredWrites.begin(), kUndeclaredWrites.end(),
                   [&](const UndeclaredWrite& write) { return write.op == schema.name(); });
  return entry != kUndeclaredWrites.end() && is_set(schema, arguments, entry->flag);
}

// Ops that fill what they write. Those of the form `out=` do so too, and say it by their schema.
constexpr std::array kFillingOps = {
    std::string_view("aten::copy_"),        std::string_view("aten::fill_"),
    std::string_view("aten::zero_"),        std::string_view("aten::normal_"),
    std::string_view("aten::uniform_"),     std::string_view("aten::bernoulli_"),
    std::string_view("aten::exponential_"), std::string_view("aten::geometric_"),
    std::string_view("aten::cauchy_"),      std::string_view("aten::log_normal_"),
    std::string_view("aten::random_"),      std::string_view("aten::rrelu_with_noise"),
};

constexpr std::array kUninitialisedOps = {
    std::string_view("aten::empty"),         std::string_view("aten::empty_like"),
    std::string_view("aten::empty_strided"), std::string_view("aten::empty_permuted"),
    std::string_view("aten::new_empty"),     std::string_view("aten::new_empty_strided"),
};

// Namespaces of collectives and of what else talks to other processes.
constexpr std::array kOutsideNamespaces = {
    std::string_view("c10d::"), std::string_view("c10d_functional::"),
    std::string_view("_c10d_functional::"), std::string_view("symm_mem::")};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool writes_argument(const c10::OperatorHandle& op, OpArguments arguments, std::size_t index) {
  const c10::FunctionSchema& schema = op.schema();
  const c10::AliasInfo* alias = schema.arguments()[index].alias_info();
  return (alias != nullptr && alias->isWrite()) || writes_undeclared(schema, arguments, index);
}

bool may_write_undeclared(const c10::OperatorHandle& op) {
  return std::any_of(kUndeclaredWrites.begin(), kUndeclaredWrites.end(),
                     [&](const UndeclaredWrite& write) { return write.op == op.schema().name(); });
}

std::optional<std::size_t> partly_unwritten_result(const c10::OperatorHandle& op) {
  const auto* const entry =
      std::find_if(kPartlyUnwritten.begin(), kPartlyUnwritten.end(),
                   [&](const PartlyUnwritten& each) { return each.op == op.schema().name(); });
  return entry == kPartlyUnwritten.end() ? std::nullopt : std::optional(entry->result);
}

bool is_statistics_only(const c10::OperatorHandle& op, OpArguments arguments, std::size_t index) {
  return writes_undeclared(op.schema(), arguments, index);
}

bool overwrites_argument(const c10::OperatorHandle& op, std::size_t index) {
  const c10::FunctionSchema& schema = op.schema();
  return schema.arguments()[index].is_out() || is_among(kFillingOps, schema.name());
}

bool makes_uninitialised(const c10::OperatorHandle& op) {
  return is_among(kUninitialisedOps, op.schema().name());
}

bool may_replay(const c10::OperatorHandle& op) {
  const std::string& name = op.schema().name();
  return !is_declared_once(name) &&
         std::none_of(kOutsideNamespaces.begin(), kOutsideNamespaces.end(),
                      [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_random(const c10::OperatorHandle& op) {
  return op.hasTag(at::Tag::nondeterministic_seeded);
}

at::Generator generator_of(OpArguments arguments) {
  std::optional<at::Device> named;  // rand_like(self, device) draws where its result is to be
  std::optional<at::Device> of_tensor;
  for (const c10::IValue& value : arguments) {
    if (value.isGenerator() && value.toGenerator().defined()) {
      return value.toGenerator();
    }
    if (value.isDevice()) {
      named = value.toDevice();
    }
    for_each_tensor(value, [&](const at::Tensor& tensor) {
      if (!of_tensor) {
        of_tensor = tensor.device();
      }
    });
  }
  const at::Device device = named ? *named : of_tensor.value_or(at::kCPU);
  return at::globalContext().defaultGenerator(device.is_meta() ? at::kCPU : device);
}

}  // namespace reprise::tape
