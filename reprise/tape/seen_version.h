// SPDX-License-Identifier: Apache-2.0
// SeenVersion: the version counter of a tensor and what it showed. Autograd counts the writes to a
// tensor with it; our hooks switch its own check off.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>
#include <c10/core/TensorImpl.h>

namespace reprise::tape {

// Copies share the counter. Below autograd it moves only after the op that writes.
class SeenVersion {
 public:
  SeenVersion() = default;                         // of nothing: never changes
  explicit SeenVersion(const at::Tensor& tensor);  // inference tensors count no versions

  bool is_unchanged() const { return !counter_.enabled() || counter_.current_version() == seen_; }
  // Throws c10::Error, in autograd's words, if the tensor was changed in place since. `what()`
  // tells what it is: "a tensor of shape [2] of ...".
  template <class What>
  void require_unchanged(const What& what) const {
    if (!is_unchanged()) {
      refuse(what());
    }
  }

  void see_again();
  // Sets the counter back to what was seen.
  void rewind() const;
  const c10::VariableVersion& counter() const { return counter_; }

 private:
  [[noreturn]] void refuse(const std::string& what) const;

  c10::VariableVersion counter_;
  std::uint32_t seen_ = 0;
};

}  // namespace reprise::tape
