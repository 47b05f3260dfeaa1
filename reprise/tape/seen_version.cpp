// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/seen_version.h"

#include <c10/util/Exception.h>

namespace reprise::tape {

SeenVersion::SeenVersion(const at::Tensor& tensor) {
  if (!tensor.is_inference()) {
    counter_ = tensor.unsafeGetTensorImpl()->version_counter();
    see_again();
  }
}

void SeenVersion::see_again() { seen_ = counter_.enabled() ? counter_.current_version() : 0; }

void SeenVersion::rewind() const {
  if (counter_.enabled()) {
    c10::VariableVersion(counter_).set_version(seen_);
  }
}

void SeenVersion::refuse(const std::string& what) const {
  TORCH_CHECK(false,
              "one of the variables needed for gradient computation has been modified by an "
              "inplace operation: ",
              what, " is at version ", counter_.current_version(), "; expected version ", seen_,
              " instead.");
}

}  // namespace reprise::tape
