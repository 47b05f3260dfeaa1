// SPDX-License-Identifier: Apache-2.0
// The tensors that a region reads or writes but did not make: parameters, inputs, statistics,
// caches.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/autograd/node.h>

#include "reprise/tape/seen_version.h"

namespace reprise::tape {

// What autograd knew of a handle of an outside tensor when the region first saw it.
struct SeenHandle {
  c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> tensor;
  bool requires_grad = false;
  bool is_leaf = true;
};

// Tensors are told apart by their storage; a view is the tensor that it looks at.
struct OutsideTensor {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  SeenVersion version = {};  // when the region first saw it
  c10::SmallVector<std::int64_t, 4> sizes = {};
  c10::SmallVector<SeenHandle, 1> handles = {};
  bool is_written = false;
  at::Tensor before = {};  // if it is written: bytes of the whole storage before the first write
};

// Invariants:
// 1. Every storage that an op of the region touched is either in `outside()` or known as made
//    inside.
// 2. `before` is taken before the first write, so it is what the region found.
class OutsideTensors {
 public:
  // An op of the region is about to read, or write, `tensor`.
  // Throws std::runtime_error for a write to an outside tensor that has no storage (sparse, say).
  void before_use(const at::Tensor& tensor, bool is_written);
  // An op of the region has returned `tensor`.
  void after_result(const at::Tensor& tensor);

  bool is_inside(const at::Tensor& tensor) const;
  const std::vector<OutsideTensor>& outside() const { return outside_; }
  // The entry of a written storage, or null.
  const OutsideTensor* written(const c10::StorageImpl* storage) const;
  std::int64_t bytes() const;  // of all `before`

  // Storages made inside are only told apart while the region runs.
  void forget_inside();

  // Throws c10::Error, in autograd's words, if a tensor that the region only read was changed in
  // place since.
  void check_unchanged(const std::string& region) const;

 private:
  // Index into outside_, or kInside. The weak pointers keep a freed storage's address from being
  // taken by another storage, which would then pass for the first one.
  static constexpr std::int64_t kInside = -1;
  struct Known {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    std::int64_t index;
  };
  std::unordered_map<const void*, Known> known_;
  std::vector<OutsideTensor> outside_;
};

// Gives, for a scope, the outside tensors the place in a graph that the region found: a frozen
// parameter is often unfrozen before backward (and the other way round), a buffer that the region
// wrote is part of its graph by now, and a rerun that follows the new state would save other values
// than the first run. Afterwards they have their present one again, and what the rerun made of them
// is gone.
class RestoredHistory {
 public:
  explicit RestoredHistory(const OutsideTensors& first_run);
  ~RestoredHistory();
  RestoredHistory(const RestoredHistory&) = delete;
  RestoredHistory& operator=(const RestoredHistory&) = delete;

 private:
  struct Present {
    at::Tensor tensor;
    bool requires_grad;  // as a leaf
    c10::intrusive_ptr<torch::autograd::Node> node;
    std::uint32_t output;
  };
  std::vector<Present> present_;
};

// Puts back, for a scope, what the written tensors held before the region's first write; afterwards
// their present content and version, and those of whatever else the rerun wrote. A storage that is
// gone is passed over.
class RestoredContents {
 public:
  // `rerun` is filled while the scope lasts.
  RestoredContents(const OutsideTensors& first_run, const OutsideTensors& rerun);
  ~RestoredContents();
  RestoredContents(const RestoredContents&) = delete;
  RestoredContents& operator=(const RestoredContents&) = delete;

  // Writes of the rerun to storages that the first run left alone, or that are made anew by each
  // run in a way that no op shows.
  bool undoes_other_writes() const;
  bool undoes_write_to(const c10::StorageImpl* storage) const;

 private:
  struct Present {
    c10::Storage storage;
    at::Tensor bytes;
    SeenVersion version;
  };
  bool is_present(const OutsideTensor& entry) const;
  void add_writes_of_rerun();

  const OutsideTensors& rerun_;
  std::vector<Present> present_;
};

// A tensor of bytes over a whole storage, and its copy; neither is seen by frames or autograd.
at::Tensor bytes_of(const c10::Storage& storage);
at::Tensor copy_of_bytes(const c10::Storage& storage);
void overwrite_bytes(const c10::Storage& storage, const at::Tensor& bytes);

}  // namespace reprise::tape
