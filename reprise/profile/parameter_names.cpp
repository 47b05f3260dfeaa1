// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/parameter_names.h"

namespace reprise::profile {

void ParameterNames::add(const std::string& path, const at::Tensor& tensor) {
  if (!tensor.has_storage()) {
    return;
  }
  const std::size_t dot = path.rfind('.');
  named_.insert_or_assign(tensor.storage().unsafeGetStorageImpl(),
                          Named{tensor.storage().getWeakStorageImpl(),
                                dot == std::string::npos ? "" : path.substr(0, dot)});
}

std::string ParameterNames::part_of(const c10::StorageImpl* storage) const {
  const auto known = named_.find(storage);
  return known == named_.end() ? "" : known->second.part;
}

}  // namespace reprise::profile
