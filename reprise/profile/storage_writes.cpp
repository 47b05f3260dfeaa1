// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/storage_writes.h"

#include <algorithm>
#include <string>

#include "reprise/profile/step_error.h"

namespace reprise::profile {
namespace {

constexpr int kUnmade = -1;

// Goes through the ops in order and knows the version of each storage.
class Versions {
 public:
  explicit Versions(const StepTrace& trace) {
    for (const StorageTrace& storage : trace.storages) {
      last_.push_back(storage.external ? 0 : kUnmade);
    }
  }

  // Throws unless the access is to a storage of the trace, by as many sizes as strides.
  void check(const Access& access, const std::string& place) const {
    if (access.storage < 0 || static_cast<std::size_t>(access.storage) >= last_.size()) {
      throw StepError(place + ".storage: expected one of " + std::to_string(last_.size()) +
                      ", got " + std::to_string(access.storage));
    }
    if (access.view.sizes.size() != access.view.strides.size()) {
      throw StepError(place + ".view: expected as many strides as the " +
                      std::to_string(access.view.sizes.size()) + " sizes, got " +
                      std::to_string(access.view.strides.size()));
    }
  }

  int& last(const Access& access) { return last_[static_cast<std::size_t>(access.storage)]; }

 private:
  std::vector<int> last_;
};

std::string place_in(const std::string& place, const char* list, std::size_t index) {
  return place + ": " + list + "[" + std::to_string(index) + "]";
}

void check_version(const Access& access, int least, int most, const std::string& place) {
  if (most == kUnmade) {
    throw StepError(place + ": no op has made storage " + std::to_string(access.storage));
  }
  if (access.version < least || access.version > most) {
    throw StepError(place + ".version: expected " +
                    (least == most ? std::string() : std::to_string(least) + " to ") +
                    std::to_string(most) + ", got " + std::to_string(access.version));
  }
}

void check_reads(const OpTrace& op, const std::string& place, Versions& versions) {
  for (std::size_t i = 0; i < op.reads.size(); ++i) {
    const std::string at = place_in(place, "reads", i);
    versions.check(op.reads[i], at);
    check_version(op.reads[i], versions.last(op.reads[i]), versions.last(op.reads[i]), at);
  }
}

void check_needs(const UseTrace& use, const std::string& place, Versions& versions) {
  for (std::size_t i = 0; i < use.needs.size(); ++i) {
    const std::string at = place_in(place, "needs", i);
    versions.check(use.needs[i], at);
    check_version(use.needs[i], 0, versions.last(use.needs[i]), at);
  }
}

}  // namespace

StorageWrites::StorageWrites(const StepTrace& trace) : writes_(trace.storages.size()) {
  Versions versions(trace);
  for (std::size_t op = 0; op < trace.ops.size(); ++op) {
    const std::string place = place_of_op(trace, op);
    check_reads(trace.ops[op], place, versions);
    for (std::size_t i = 0; i < trace.ops[op].writes.size(); ++i) {
      const Access& write = trace.ops[op].writes[i];
      const std::string at = place_in(place, "writes", i);
      versions.check(write, at);
      std::vector<StorageWrite>& writes = writes_[static_cast<std::size_t>(write.storage)];
      // Two views of one storage may be written at once.
      const bool is_again = !writes.empty() && writes.back().op == static_cast<int>(op);
      const int next = versions.last(write) + 1;
      check_version(write, is_again ? next - 1 : next, next, at);
      versions.last(write) = write.version;
      writes.push_back({static_cast<int>(op), write.version, tape::ByteRuns(write.view)});
    }
  }
  for (std::size_t use = 0; use < trace.uses.size(); ++use) {
    check_needs(trace.uses[use], place_of_use(trace, use), versions);
  }
}

const StorageWrite* StorageWrites::overwrite_of(const Access& access) const {
  const std::vector<StorageWrite>& writes = of(access.storage);
  if (writes.empty() || writes.back().version <= access.version) {
    return nullptr;
  }
  const tape::ByteRuns bytes(access.view);
  for (auto write = writes.rbegin(); write != writes.rend() && write->version > access.version;
       ++write) {
    if (write->bytes.overlap(bytes)) {
      return &*write;
    }
  }
  return nullptr;
}

}  // namespace reprise::profile
