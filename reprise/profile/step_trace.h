// SPDX-License-Identifier: Apache-2.0
// StepTrace: what was watched of one step that ran, as plain numbers: which storages its forward
// ops read and wrote, which of them backward unpacked, and the bytes and times around all that.
//
// Numbers of ops, storages and saves are positions in the vectors below. Bytes count from what was
// live when the step began, times are microseconds (cost_clock.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reprise/tape/byte_view.h"

namespace reprise::profile {

// A tensor that an op, or a node of backward, looked at: some elements of one version of a storage.
// The first version is 0; each op that writes the storage makes the next.
struct Access {
  int storage = 0;
  int version = 0;
  tape::ByteView view = {};
};

struct OpTrace {
  std::string name = {};  // "aten::gelu"
  std::string label = {};
  bool random = false;
  double cost_us = 0;
  std::int64_t transient_bytes = 0;  // most bytes that appeared while it ran
  std::int64_t peak_bytes = 0;       // most live while it ran and until the next op, less what only
                                     // the recorder held
  std::vector<Access> reads = {};    // with the version that was there before it
  std::vector<Access> writes =
      {};  // with the version that it made; the first is the storage's birth
};

struct StorageTrace {
  std::int64_t bytes = 0;
  bool external = false;   // nothing recorded made its first version: a parameter, an input
  bool held = false;       // user code held it when backward began
  int released_at = 0;     // else: the last op while user code held it
  std::string dtype = {};  // for people, as `shape` is; of the first tensor over it that was read
  std::vector<std::int64_t> shape = {};
};

// A node of backward that unpacked saved tensors.
struct UseTrace {
  std::string name = {};  // "GeluBackward0"
  std::string label = {};
  double cost_us = 0;
  std::vector<Access> needs = {};
  // Live bytes less those that only the recorder held for backward.
  std::int64_t begin_bytes = 0;  // when it first unpacked, once what it needs was there
  std::int64_t peak_bytes = 0;   // most until it let go of what it saved
  std::int64_t after_bytes = 0;  // most from then until the next use
};

struct StepTrace {
  std::string name = {};
  std::string device = "cpu";
  double step_us = 0;  // of the same step plain
  double forward_us = 0;
  std::vector<OpTrace> ops = {};
  std::vector<StorageTrace> storages = {};
  std::vector<UseTrace> uses = {};  // in the order of backward
};

}  // namespace reprise::profile
