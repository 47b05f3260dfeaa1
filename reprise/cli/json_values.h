// SPDX-License-Identifier: Apache-2.0
// What the JSON reports write the same way.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace reprise::cli {

// null: not known.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace reprise::cli
