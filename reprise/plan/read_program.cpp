// SPDX-License-Identifier: Apache-2.0
#include <istream>
#include <optional>

#include "reprise/plan/format_error.h"
#include "reprise/plan/format_header.h"
#include "reprise/plan/json_document.h"
#include "reprise/plan/serialize.h"

namespace reprise::plan {
namespace {

std::string text_or_none(const JsonField& object, std::string_view name) {
  const auto field = object.find(name);
  return field ? field->text() : "";
}

bool boolean_or(const JsonField& object, std::string_view name, bool otherwise) {
  const auto field = object.find(name);
  return field ? field->boolean() : otherwise;
}

double time_or_none(const JsonField& object, std::string_view name) {
  const auto field = object.find(name);
  return field ? field->time_us() : 0;
}

void check_id(const JsonField& object, std::size_t position) {
  const JsonField id = object.at("id");
  if (id.integer(0) != static_cast<std::int64_t>(position)) {
    id.refuse(std::to_string(position) + ", the position in the list");
  }
}

int recipe_of(const JsonField& recipe) { return recipe.is_null() ? kNoRecipe : recipe.id(); }

Value read_value(const JsonField& object, std::size_t position) {
  check_id(object, position);
  Value value;
  value.bytes = object.at("bytes").integer(0);
  value.external = boolean_or(object, "external", false);
  if (value.external) {
    if (const auto recipe = object.find("recipe")) {
      value.recipe = recipe_of(*recipe);
    }
  } else {
    value.made_at = object.at("made_at").integer(0);
    value.released_at = object.at("released_at").integer(0);
    value.recipe = recipe_of(object.at("recipe"));
  }
  value.label = text_or_none(object, "label");
  if (const auto shape = object.find("shape")) {
    value.shape = shape->integers(0);
  }
  value.dtype = text_or_none(object, "dtype");
  return value;
}

Recipe read_recipe(const JsonField& object, std::size_t position) {
  check_id(object, position);
  Recipe recipe;
  recipe.name = object.at("name").text();
  recipe.cost_us = object.at("cost_us").time_us();
  recipe.transient_bytes = object.at("transient_bytes").integer(0);
  recipe.ops = object.at("ops").integers(0);
  recipe.inputs = object.at("inputs").ids();
  recipe.outputs = object.at("outputs").ids();
  recipe.random = boolean_or(object, "random", false);
  recipe.replayable = boolean_or(object, "replayable", true);
  recipe.label = text_or_none(object, "label");
  return recipe;
}

Use read_use(const JsonField& object) {
  Use use;
  use.name = object.at("name").text();
  use.cost_us = object.at("cost_us").time_us();
  const JsonField background = object.at("background_bytes");
  if (background.size() != 3) {
    throw FormatError::mismatch(background.where(),
                                "3 numbers (while replaying before it, while it runs, after it)",
                                std::to_string(background.size()));
  }
  use.background_bytes = {.replaying = background.at(0).integer(0),
                          .running = background.at(1).integer(0),
                          .after = background.at(2).integer(0)};
  use.needs = object.at("needs").ids();
  use.label = text_or_none(object, "label");
  return use;
}

}  // namespace

Program read_program(std::string_view json, const std::string& place) {
  const JsonDocument document(json, place);
  const JsonField root = document.root();
  check_header(root, "reprise.program");
  Program program;
  program.name = root.at("name").text();
  program.device = root.at("device").text();
  program.step_us = root.at("step_us").time_us();
  program.forward_us = root.at("forward_us").time_us();
  program.resident_bytes = root.at("resident_bytes").integer(0);
  program.forward_peak_bytes = root.at("forward_peak_bytes").integers(0);
  const JsonField values = root.at("values");
  program.values.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    program.values.push_back(read_value(values.at(i), i));
  }
  const JsonField recipes = root.at("recipes");
  program.recipes.reserve(recipes.size());
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    program.recipes.push_back(read_recipe(recipes.at(i), i));
  }
  const JsonField uses = root.at("uses");
  program.uses.reserve(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    program.uses.push_back(read_use(uses.at(i)));
  }
  program.replay_overhead_us = time_or_none(root, "replay_overhead_us");
  program.use_overhead_us = time_or_none(root, "use_overhead_us");
  if (const std::optional<ProgramFault> fault = find_fault(program)) {
    throw FormatError(place + ": " + fault->path, fault->what);
  }
  return program;
}

Program read_program(std::istream& in, const std::string& place) {
  return read_program(read_all(in, place), place);
}

}  // namespace reprise::plan
