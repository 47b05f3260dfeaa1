// SPDX-License-Identifier: Apache-2.0
// JSON as the readers of this layer take it: a parse that refuses what a lenient one lets pass, and
// fields that know where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "reprise/plan/format_error.h"

namespace reprise::plan {

// A node and the way to it. Paths are put together only for messages, so that walking a large
// document costs no strings. Each refers to its parent, which outlives it.
class JsonField {
 public:
  // Throws FormatError if this is no object or has no such field.
  JsonField at(std::string_view name) const;
  // Nothing if it has no such field.
  std::optional<JsonField> find(std::string_view name) const;
  // Throws FormatError if this is no list.
  std::size_t size() const;
  // REQUIRES: index < size().
  JsonField at(std::size_t index) const;

  bool is_null() const;
  // Each throws FormatError unless the node is of that kind: an integer is written without point
  // and exponent, a time is >= 0 (JSON has no infinity).
  std::int64_t integer(std::int64_t min,
                       std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
  int id() const;
  double time_us() const;
  bool boolean() const;
  std::string text() const;
  std::vector<int> ids() const;
  std::vector<std::int64_t> integers(std::int64_t min) const;

  // Throws FormatError if `text()` is another one.
  void require_text(std::string_view expected) const;

  // "gpt.json: values[3].bytes"; the document's place alone for its root.
  std::string where() const;
  [[noreturn]] void refuse(const std::string& expectation) const;

 private:
  friend class JsonDocument;
  JsonField(const nlohmann::json& root, const std::string& place) : node_(&root), place_(&place) {}
  JsonField(const nlohmann::json& node, const JsonField& parent, std::string_view name,
            std::size_t index)
      : node_(&node), place_(parent.place_), parent_(&parent), name_(name), index_(index) {}

  std::string path() const;
  void require_object() const;

  const nlohmann::json* node_;
  const std::string* place_;
  const JsonField* parent_ = nullptr;
  std::string_view name_;  // of a list's item: empty
  std::size_t index_ = 0;
};

class JsonDocument {
 public:
  // Parses one document. Throws FormatError, beginning with `place`, for anything that is not JSON
  // (numbers too large for a double included), a zero byte anywhere, text behind its end, a name
  // that an object has twice, and a root that is not an object.
  JsonDocument(std::string_view text, std::string place);
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  // Refers to the document, which outlives it.
  JsonField root() const;

 private:
  std::string place_;
  std::unique_ptr<nlohmann::json> root_;
};

// A number as the writers write it: the shortest text that gives the same double again.
std::string json_number(double number);
// With quotes; bytes that are no UTF-8 become U+FFFD.
std::string json_text(const std::string& text);
// "[1,2,3]".
std::string json_list(const std::vector<int>& numbers);
std::string json_list(const std::vector<std::int64_t>& numbers);

}  // namespace reprise::plan
