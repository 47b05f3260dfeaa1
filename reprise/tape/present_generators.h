// SPDX-License-Identifier: Apache-2.0
// PresentGenerators: generators that are set to earlier states for a while, as they are now.
#pragma once

#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace reprise::tape {

// Takes no memory of tensors, which may be short just then, for generators of the CPU.
class PresentGenerators {
 public:
  PresentGenerators() = default;
  // Gives each the state that it had when it was first remembered.
  ~PresentGenerators();
  PresentGenerators(const PresentGenerators&) = delete;
  PresentGenerators& operator=(const PresentGenerators&) = delete;

  void remember(const at::Generator& generator);

 private:
  struct Present {
    at::Generator generator;
    at::Generator copy;  // of one of the CPU
    at::Tensor state;    // of any other
  };
  std::vector<Present> present_;
};

}  // namespace reprise::tape
