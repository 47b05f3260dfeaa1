// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/meta_kernels.h"

#include <algorithm>

#include <ATen/core/dispatch/Dispatcher.h>

namespace reprise::profile {
namespace {

// Never taken back: ops of other threads may be in flight at exit.
torch::Library& aten_library(c10::DispatchKey key) {
  return *new torch::Library(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
}

}  // namespace

bool MetaKernelAdder::is_missing(const std::string& op) const {
  const std::size_t dot = std::min(op.find('.'), op.size());
  const auto found = c10::Dispatcher::singleton().findSchema(
      {"aten::" + op.substr(0, dot), dot == op.size() ? "" : op.substr(dot + 1)});
  return found && !found->hasKernelForDispatchKey(key_);
}

void install_meta_kernels() {
  static const bool is_installed = [] {
    const MetaKernelAdder kernels(aten_library(c10::DispatchKey::Meta), c10::DispatchKey::Meta);
    add_attention_kernels(kernels);
    add_convolution_kernels(kernels);
    add_lookup_kernels(kernels);
    add_norm_kernels(kernels);
    add_attention_choice(MetaKernelAdder(aten_library(c10::DispatchKey::AutogradMeta),
                                         c10::DispatchKey::AutogradMeta));
    return true;
  }();
  static_cast<void>(is_installed);
}

}  // namespace reprise::profile
