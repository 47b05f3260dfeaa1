// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/json_document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "reprise/plan/shortened.h"

namespace reprise::plan {
namespace {

using nlohmann::json;

// Bounds the recursion of whatever walks the document; ours are four deep.
constexpr std::size_t kMostLevels = 200;

std::string one_line(std::string text) {
  for (char& byte : text) {
    if (static_cast<unsigned char>(byte) < ' ') {
      byte = ' ';
    }
  }
  return text;
}

// "line 3, column 14" of the byte there, as the library writes it.
std::string position_text(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  // Before the first line too: npos + 1 is 0.
  const std::size_t column = offset - (before.rfind('\n') + 1);
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column + 1);
}

// The library quotes what it read last, or a number that is too large, between single quotes,
// however long that was.
std::string with_short_token(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  const std::size_t end = text.rfind('\'');
  if (at == std::string::npos || end < at + before.size()) {
    return text;
  }
  const std::size_t token = at + before.size();
  return text.substr(0, token) + shortened(text.substr(token, end - token)) + text.substr(end);
}

// Builds the document from the parser's events, as the library's own does, and stops at what that
// one passes over: a second field of one name would silently win.
class Builder : public nlohmann::json_sax<json> {
 public:
  Builder(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  // An integer too long for 64 bits arrives here as well: a number that is no integer().
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(json::binary(std::move(value))); }
  bool start_object(std::size_t /*elements*/) override { return open(json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      const std::string path = path_of_open_node();
      throw FormatError(
          place_ + ": " + path + (path.empty() ? "" : ".") + shortened(one_line(name)),
          "expected a field of this name once, got it twice");
    }
    name_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t bytes_read, const std::string& /*last_token*/,
                   const json::exception& error) override {
    // The library's message after its own "[json.exception.parse_error.101] ".
    std::string text = error.what();
    if (const std::size_t end = text.find("] "); end != std::string::npos) {
      text = text.substr(end + 2);
    }
    text = with_short_token(with_short_token(text, "last read: '"), "parsing '");
    // It does not say where a number is that is too large.
    const std::string where = text.find("at line ") == std::string::npos
                                  ? "parse error at " + position_text(text_, bytes_read - 1) + ": "
                                  : "";
    throw FormatError(place_, "expected JSON; " + where + one_line(text));
  }

 private:
  // "values[3]"; written as JsonField::where() writes it.
  std::string path_of_open_node() const {
    std::string path;
    for (std::size_t i = 1; i < open_.size(); ++i) {
      const json& parent = *open_[i - 1];
      if (parent.is_array()) {
        path.append("[").append(std::to_string(parent.size() - 1)).append("]");
      } else {
        const auto child =
            std::find_if(parent.items().begin(), parent.items().end(),
                         [&](const auto& item) { return &item.value() == open_[i]; });
        path.append(path.empty() ? "" : ".").append(shortened(child.key()));
      }
    }
    return path;
  }

  json* place_node(json&& node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(node));
      return &parent.back();
    }
    return &(parent[name_] = std::move(node));
  }

  bool add(json&& node) {
    place_node(std::move(node));
    return true;
  }

  bool open(json&& node) {
    if (open_.size() == kMostLevels) {
      throw FormatError(place_ + ": " + shortened(path_of_open_node()),
                        "expected at most " + std::to_string(kMostLevels) +
                            " levels of objects and lists, got more");
    }
    open_.push_back(place_node(std::move(node)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& place_;
  json root_;
  // Safe: while a node is open, nothing is added to its parent, so that it does not move.
  std::vector<json*> open_;
  std::string name_;
};

std::string shown(const json& node) {
  if (node.is_object() || node.is_array()) {
    return {node.is_object() ? "an object" : "a list"};
  }
  return shortened(node.dump(-1, ' ', true, json::error_handler_t::replace));
}

template <class Number>
std::string list_text(const std::vector<Number>& numbers) {
  std::string text = "[";
  for (const Number number : numbers) {
    if (text.size() > 1) {
      text += ',';
    }
    text += std::to_string(number);
  }
  text += ']';
  return text;
}

}  // namespace

JsonDocument::JsonDocument(std::string_view text, std::string place) : place_(std::move(place)) {
  // The library takes a zero byte for the end and what follows for nothing.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw FormatError(
        place_, "expected JSON; parse error at " + position_text(text, zero) + ": a zero byte");
  }
  Builder builder(text, place_);
  json::sax_parse(text, &builder);  // true, or it threw
  root_ = std::make_unique<json>(builder.take());
  root().require_object();
}

JsonDocument::~JsonDocument() = default;

JsonField JsonDocument::root() const { return {*root_, place_}; }

void JsonField::require_object() const {
  if (!node_->is_object()) {
    refuse("an object");
  }
}

std::optional<JsonField> JsonField::find(std::string_view name) const {
  require_object();
  const auto found = node_->find(name);
  if (found == node_->end()) {
    return std::nullopt;
  }
  return JsonField(*found, *this, name, 0);
}

JsonField JsonField::at(std::string_view name) const {
  if (const std::optional<JsonField> found = find(name)) {
    return *found;
  }
  static const json nothing;
  throw FormatError(JsonField(nothing, *this, name, 0).where(),
                    "expected a field of this name, got none");
}

std::size_t JsonField::size() const {
  if (!node_->is_array()) {
    refuse("a list");
  }
  return node_->size();
}

JsonField JsonField::at(std::size_t index) const { return {(*node_)[index], *this, "", index}; }

bool JsonField::is_null() const { return node_->is_null(); }

std::int64_t JsonField::integer(std::int64_t min, std::int64_t max) const {
  const bool fits = node_->is_number_unsigned()
                        ? node_->get<std::uint64_t>() <= static_cast<std::uint64_t>(max)
                        : node_->is_number_integer();
  if (!fits || node_->get<std::int64_t>() < min || node_->get<std::int64_t>() > max) {
    refuse(max == std::numeric_limits<std::int64_t>::max()
               ? "an integer >= " + std::to_string(min)
               : "an integer in [" + std::to_string(min) + ", " + std::to_string(max) + "]");
  }
  return node_->get<std::int64_t>();
}

int JsonField::id() const { return static_cast<int>(integer(0, std::numeric_limits<int>::max())); }

double JsonField::time_us() const {
  if (!node_->is_number() || node_->get<double>() < 0) {
    refuse("a number >= 0");
  }
  return node_->get<double>();
}

bool JsonField::boolean() const {
  if (!node_->is_boolean()) {
    refuse("true or false");
  }
  return node_->get<bool>();
}

std::string JsonField::text() const {
  if (!node_->is_string()) {
    refuse("text");
  }
  return node_->get<std::string>();
}

std::vector<int> JsonField::ids() const {
  std::vector<int> ids(size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = at(i).id();
  }
  return ids;
}

std::vector<std::int64_t> JsonField::integers(std::int64_t min) const {
  std::vector<std::int64_t> numbers(size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = at(i).integer(min);
  }
  return numbers;
}

void JsonField::require_text(std::string_view expected) const {
  if (!node_->is_string() || node_->get_ref<const std::string&>() != expected) {
    refuse("\"" + std::string(expected) + "\"");
  }
}

std::string JsonField::path() const {
  if (parent_ == nullptr) {
    return "";
  }
  const std::string before = parent_->path();
  if (name_.empty()) {
    return before + "[" + std::to_string(index_) + "]";
  }
  return before + (before.empty() ? "" : ".") + std::string(name_);
}

std::string JsonField::where() const {
  const std::string mine = path();
  return mine.empty() ? *place_ : *place_ + ": " + mine;
}

void JsonField::refuse(const std::string& expectation) const {
  throw FormatError::mismatch(where(), expectation, shown(*node_));
}

std::string json_number(double number) {
  std::array<char, 32> digits{};
  // + 0.0: a negative zero would be read as an integer, a positive one.
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number + 0.0).ptr;
  return {digits.data(), end};
}

std::string json_text(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string json_list(const std::vector<int>& numbers) { return list_text(numbers); }
std::string json_list(const std::vector<std::int64_t>& numbers) { return list_text(numbers); }

}  // namespace reprise::plan
