// SPDX-License-Identifier: Apache-2.0
// StorageWrites: who wrote each storage of a step, and what of its versions is there in the end.
#pragma once

#include <cstddef>
#include <vector>

#include "reprise/profile/step_trace.h"

namespace reprise::profile {

struct StorageWrite {
  int op = 0;
  int version = 0;  // that it made
  tape::ByteRuns bytes;
};

class StorageWrites {
 public:
  // Throws StepError if an op or a use names a storage or a version that is not there: an op reads
  // the version before it, and makes the next; an external storage begins with version 0, any other
  // with its first write. O(size of the trace).
  explicit StorageWrites(const StepTrace& trace);

  // In the order of the ops. The first of a storage that is not external is its birth; none: no op
  // made it.
  const std::vector<StorageWrite>& of(int storage) const {
    return writes_[static_cast<std::size_t>(storage)];
  }

  // The last write that touches what `access` sees after that version; null: the last version of
  // the storage has it as well. Decided byte by byte: of two chunks of one version, one may be
  // there in the end and the other not. A write counts that tape::ByteRuns gives up on. O(later
  // writes). REQUIRES: an access to a storage and a version of the trace.
  const StorageWrite* overwrite_of(const Access& access) const;
  bool outlives_later_writes(const Access& access) const { return overwrite_of(access) == nullptr; }

 private:
  std::vector<std::vector<StorageWrite>> writes_;  // per storage
};

}  // namespace reprise::profile
