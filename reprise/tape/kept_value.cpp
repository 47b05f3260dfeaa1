// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/kept_value.h"

#include <sstream>

namespace reprise::tape {
namespace {

std::string why_text(const KeptValue& kept) {
  switch (kept.why) {
    case KeptValue::Why::kOutside:
      return kept.op.empty() ? "from outside, saved by autograd"
                             : "from outside, read by " + kept.op;
    case KeptValue::Why::kOverwritten:
      return "from outside, copied before it was written";
    case KeptValue::Why::kPolicy:
      return "kept by the policy, made by " + kept.op;
    case KeptValue::Why::kRandomState:
      return "random state, for " + kept.op;
  }
  return {};
}

}  // namespace

std::string kept_text(const std::vector<KeptValue>& kept) {
  std::ostringstream out;
  for (const KeptValue& each : kept) {
    out << each.bytes << " bytes" << (each.tensor.empty() ? "" : ", ") << each.tensor << ": "
        << why_text(each) << "\n";
  }
  return out.str();
}

}  // namespace reprise::tape
