// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/model_spec.h"

#include <charconv>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "reprise/cli/errors.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

std::optional<std::int64_t> integer_if_set(const OptionValues& values, const std::string& name) {
  return values.text(name).empty() ? std::nullopt : std::optional(values.integer(name));
}

// "3,4,6,3".
std::vector<std::int64_t> depths(const std::string& list) {
  std::vector<std::int64_t> numbers;
  std::istringstream items(list + ",");
  for (std::string item; std::getline(items, item, ',');) {
    const char* const end = item.data() + item.size();
    const auto [stop, error] = std::from_chars(item.data(), end, numbers.emplace_back());
    if (error != std::errc() || stop != end || numbers.back() < 1) {
      throw UsageError("--depths: expected positive integers with commas between, got " +
                       in_quotes(list));
    }
  }
  return numbers;
}

}  // namespace

zoo::ModelSpec model_spec(const OptionValues& values) {
  zoo::ModelSpec spec;
  spec.name = values.text("model");
  spec.layers = integer_if_set(values, "layers");
  spec.dim = integer_if_set(values, "dim");
  spec.heads = integer_if_set(values, "heads");
  spec.context = integer_if_set(values, "context");
  spec.classes = integer_if_set(values, "classes");
  spec.image_size = integer_if_set(values, "image-size");
  if (!values.text("depths").empty()) {
    spec.depths = depths(values.text("depths"));
  }
  if (!values.text("dropout").empty()) {
    spec.dropout = values.real("dropout");
  }
  if (!values.text("attention").empty()) {
    spec.attention = values.text("attention");
  }
  return spec;
}

const ArgumentNames& zoo_names() {
  static const ArgumentNames names = {{"layers", "--layers"},
                                      {"levels", "--layers"},
                                      {"number of depths", "--depths"},
                                      {"depths", "--depths"},
                                      {"dim", "--dim"},
                                      {"heads", "--heads"},
                                      {"context", "--context"},
                                      {"image_size", "--image-size"},
                                      {"classes", "--classes"},
                                      {"dropout", "--dropout"},
                                      {"attention", "--attention"},
                                      {"model", "--model"},
                                      {"text", "--text"},
                                      {"wav", "--data"},
                                      {"images", "--data"},
                                      {"labels", "--labels"}};
  return names;
}

}  // namespace reprise::cli
