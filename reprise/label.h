// SPDX-License-Identifier: Apache-2.0
// Names for parts of a step, as programs, plans and reports show them.
#pragma once

#include <string>

namespace reprise {

// What runs on this thread while it lives belongs to the part: "encoder". Labels nest, with dots
// between: "encoder.layer3". They cost nothing outside of a step of a MemoryBudget, and change no
// result.
class [[nodiscard]] Label {
 public:
  explicit Label(const std::string& name);
  ~Label();
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;
};

//   { const auto part = reprise::label("encoder");
//     h = encoder->forward(h); }
[[nodiscard]] inline Label label(const std::string& name) { return Label(name); }

}  // namespace reprise
