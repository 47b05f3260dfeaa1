// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/pass_policy.h"

namespace reprise::tape {

std::vector<c10::Storage> PassParts::rebuild(const RebuildRequest& request) const {
  if (watch != nullptr) {
    watch->before_replay();
  }
  std::vector<c10::Storage> storages = tape.rebuild(request);
  if (watch != nullptr) {
    watch->after_replay();
  }
  return storages;
}

}  // namespace reprise::tape
