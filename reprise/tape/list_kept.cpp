// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/list_kept.h"

#include <algorithm>
#include <sstream>
#include <unordered_set>

namespace reprise::tape {
namespace {

std::string text_of(const TensorRef& ref, const ValueRecord& record) {
  std::ostringstream out;
  if (record.opaque.defined()) {
    out << record.opaque.layout() << " " << record.opaque.dtype();
  } else {
    out << c10::IntArrayRef(ref.view->sizes) << " " << ref.view->dtype.name();
  }
  return out.str();
}

class Lister {
 public:
  explicit Lister(const Tape& tape) : tape_(tape) {}

  void add_op(OpId id, const std::vector<ValueId>& by_policy) {
    const OpRecord& op = tape_.op(id);
    const std::string& name = op.op.operator_name().name;
    op.for_each_read([&](const TensorRef& ref) { add_external(ref, name); });
    // Ops that share a state come one after another.
    const at::Tensor state = tape_.generator_state(id);
    if (state.defined() && !state.is_same(last_state_)) {
      last_state_ = state;
      kept_.push_back({.why = KeptValue::Why::kRandomState,
                       .bytes = static_cast<std::int64_t>(state.nbytes()),
                       .op = name});
    }
    const auto add_made = [&](ValueId value) {
      if (std::find(by_policy.begin(), by_policy.end(), value) != by_policy.end()) {
        kept_.push_back(
            {.why = KeptValue::Why::kPolicy, .bytes = tape_.values().at(value).bytes, .op = name});
      }
    };
    for (const MadeResult& result : op.results) {
      add_made(result.value);
    }
    for (const Write& write : op.written) {
      add_made(write.after);
    }
  }

  void add_external(const TensorRef& ref, const std::string& op) {
    if (ref.value == kNoValue || !tape_.values().at(ref.value).is_external() ||
        !seen_.insert(ref.value).second) {
      return;
    }
    const ValueRecord& record = tape_.values().at(ref.value);
    const bool is_copy =
        record.kept && record.kept.unsafeGetStorageImpl() != record.made_in._unsafe_get_target();
    kept_.push_back({.why = is_copy ? KeptValue::Why::kOverwritten : KeptValue::Why::kOutside,
                     .bytes = record.bytes,
                     .tensor = text_of(ref, record),
                     .op = op});
  }

  std::vector<KeptValue> take() { return std::move(kept_); }

 private:
  const Tape& tape_;
  std::unordered_set<ValueId> seen_;
  at::Tensor last_state_;
  std::vector<KeptValue> kept_;
};

}  // namespace

std::vector<KeptValue> list_kept(const Tape& tape, OpId first, const std::vector<TensorRef>& saved,
                                 const std::vector<ValueId>& by_policy) {
  Lister lister(tape);
  for (OpId op = first; op < tape.ops(); ++op) {
    lister.add_op(op, by_policy);
  }
  for (const TensorRef& ref : saved) {
    lister.add_external(ref, {});
  }
  return lister.take();
}

}  // namespace reprise::tape
