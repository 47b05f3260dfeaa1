// SPDX-License-Identifier: Apache-2.0
// Kernels of the meta device for ops that libtorch has none for: they make results of the right
// shapes, and compute nothing.
//
// They stand for the kernels of the CPU, so they also make, and let go of, the tensors that those
// make for themselves while they run, and attention takes the path that it takes there.
#pragma once

#include <string>

#include <torch/library.h>

namespace reprise::profile {

// Adds kernels to the ops of `aten`, but never in the place of one that is there.
class MetaKernelAdder {
 public:
  // `key`: of the kernels. `library` is of that key and outlives the adder.
  MetaKernelAdder(torch::Library& library, c10::DispatchKey key) : library_(library), key_(key) {}

  // `op`: with its overload, as in "where.self".
  template <class Kernel>
  void add(const std::string& op, Kernel* kernel) const {
    if (is_missing(op)) {
      library_.impl(op.c_str(), kernel);
    }
  }

 private:
  bool is_missing(const std::string& op) const;

  torch::Library& library_;
  c10::DispatchKey key_;
};

// For the rest of the process; later calls do nothing.
void install_meta_kernels();

// A file each.
void add_attention_kernels(const MetaKernelAdder& kernels);
void add_attention_choice(const MetaKernelAdder& autograd_kernels);
void add_convolution_kernels(const MetaKernelAdder& kernels);
void add_lookup_kernels(const MetaKernelAdder& kernels);
void add_norm_kernels(const MetaKernelAdder& kernels);

}  // namespace reprise::profile
