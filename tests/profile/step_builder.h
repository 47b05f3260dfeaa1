// SPDX-License-Identifier: Apache-2.0
// Steps written down by hand, op by op; it counts the versions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reprise/profile/step_trace.h"

namespace reprise::profile {

class StepBuilder {
 public:
  StepTrace trace;  // its other numbers are for the test to set

  int external(std::int64_t bytes) {
    const int storage = add(bytes);
    trace.storages.back().external = true;
    versions_.back() = 0;
    return storage;
  }

  // An op that makes one new storage, of bytes that it appears with, in 1 us.
  int make(const std::string& name, std::int64_t bytes, std::vector<Access> reads = {}) {
    const int storage = add(bytes);
    trace.storages.back().released_at = static_cast<int>(trace.ops.size());
    add_op(name, std::move(reads)).transient_bytes = bytes;
    add_write(all(storage));
    return storage;
  }

  // The op before makes one more.
  int make_also(std::int64_t bytes) {
    const int storage = add(bytes);
    trace.storages.back().released_at = static_cast<int>(trace.ops.size()) - 1;
    add_write(all(storage));
    return storage;
  }

  // An op that reads and writes `written` in place.
  void write(const std::string& name, const Access& written, std::vector<Access> reads = {}) {
    reads.push_back(written);
    add_op(name, std::move(reads));
    add_write(written);
  }

  void use(const std::string& name, std::vector<Access> needs) {
    trace.uses.push_back({.name = name, .needs = std::move(needs)});
  }

  // Bytes of the version that the storage has by now.
  Access part(int storage, std::int64_t offset, std::int64_t bytes) const {
    return {.storage = storage,
            .version = versions_[static_cast<std::size_t>(storage)],
            .view = {.offset = offset, .item_bytes = 1, .sizes = {bytes}, .strides = {1}}};
  }
  Access all(int storage) const {
    return part(storage, 0, trace.storages[static_cast<std::size_t>(storage)].bytes);
  }

 private:
  int add(std::int64_t bytes) {
    trace.storages.push_back({.bytes = bytes});
    versions_.push_back(-1);
    return static_cast<int>(trace.storages.size()) - 1;
  }

  OpTrace& add_op(const std::string& name, std::vector<Access> reads) {
    trace.ops.push_back({.name = name, .cost_us = 1, .reads = std::move(reads)});
    return trace.ops.back();
  }

  void add_write(Access written) {
    written.version = ++versions_[static_cast<std::size_t>(written.storage)];
    trace.ops.back().writes.push_back(std::move(written));
  }

  std::vector<int> versions_;  // per storage
};

}  // namespace reprise::profile
