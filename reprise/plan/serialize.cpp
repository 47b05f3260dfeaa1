// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/serialize.h"

#include <cmath>
#include <istream>
#include <iterator>
#include <stdexcept>

#include "reprise/plan/format_error.h"
#include "reprise/plan/json_document.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kVersion = 1;

void check_header(const JsonField& root, std::string_view format) {
  root.at("format").require_text(format);
  const JsonField version = root.at("version");
  if (version.integer(0) != kVersion) {
    version.refuse("version " + std::to_string(kVersion));
  }
}

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

std::string all_of(std::istream& in, const std::string& place) {
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) {
    throw FormatError(place, "cannot be read to its end");
  }
  return bytes;
}

// Items of a list, each on a line of its own.
class Lines {
 public:
  explicit Lines(std::string& text) : text_(text) { text_ += '['; }
  std::string& next() { return text_ += is_first_ ? (is_first_ = false, "\n  ") : ",\n  "; }
  void end() { text_ += is_first_ ? "]" : "\n ]"; }

 private:
  std::string& text_;
  bool is_first_ = true;
};

void write_value(std::string& text, const Value& value, std::size_t id) {
  text += "{\"id\":" + std::to_string(id) + ",\"bytes\":" + std::to_string(value.bytes);
  if (value.external) {
    text += ",\"external\":true";
  } else {
    text += ",\"made_at\":" + std::to_string(value.made_at) +
            ",\"released_at\":" + std::to_string(value.released_at) + ",\"recipe\":" +
            (value.recipe == kNoRecipe ? std::string("null") : std::to_string(value.recipe));
  }
  if (!value.label.empty()) {
    text += ",\"label\":" + json_text(value.label);
  }
  if (!value.shape.empty()) {
    text += ",\"shape\":" + json_list(value.shape);
  }
  if (!value.dtype.empty()) {
    text += ",\"dtype\":" + json_text(value.dtype);
  }
  text += '}';
}

void write_recipe(std::string& text, const Recipe& recipe, std::size_t id) {
  text += "{\"id\":" + std::to_string(id) + ",\"name\":" + json_text(recipe.name) +
          ",\"cost_us\":" + json_number(recipe.cost_us) +
          ",\"transient_bytes\":" + std::to_string(recipe.transient_bytes) +
          ",\"ops\":" + json_list(recipe.ops) + ",\"inputs\":" + json_list(recipe.inputs) +
          ",\"outputs\":" + json_list(recipe.outputs);
  if (recipe.random) {
    text += ",\"random\":true";
  }
  if (!recipe.replayable) {
    text += ",\"replayable\":false";
  }
  if (!recipe.label.empty()) {
    text += ",\"label\":" + json_text(recipe.label);
  }
  text += '}';
}

void write_use(std::string& text, const Use& use) {
  text += "{\"name\":" + json_text(use.name) + ",\"cost_us\":" + json_number(use.cost_us) +
          ",\"background_bytes\":" +
          json_list(std::vector<std::int64_t>{use.background_bytes.replaying,
                                              use.background_bytes.running,
                                              use.background_bytes.after}) +
          ",\"needs\":" + json_list(use.needs);
  if (!use.label.empty()) {
    text += ",\"label\":" + json_text(use.label);
  }
  text += '}';
}

void require_writable(bool is_writable, const char* field) {
  if (!is_writable) {
    throw std::invalid_argument(std::string("write_schedule: ") + field +
                                " must be finite and not negative");
  }
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
  return read_program(all_of(in, place), place);
}

Schedule read_schedule(std::string_view json, const std::string& place) {
  const JsonDocument document(json, place);
  const JsonField root = document.root();
  check_header(root, "reprise.schedule");
  Schedule schedule;
  schedule.program_hash = root.at("program").text();
  schedule.planner = root.at("planner").text();
  schedule.budget_bytes = root.at("budget_bytes").integer(0);
  const JsonField predicted = root.at("predicted");
  schedule.predicted_peak_bytes = predicted.at("peak_bytes").integer(0);
  schedule.predicted_recompute_us = predicted.at("recompute_us").time_us();
  const JsonField replays = root.at("replays");
  for (std::size_t i = 0; i < replays.size(); ++i) {
    const JsonField object = replays.at(i);
    const JsonField before_use = object.at("before_use");
    const JsonField recipes = object.at("recipes");
    schedule.replays.push_back({before_use.id(), recipes.ids()});
    if (i > 0 && schedule.replays[i].before_use <= schedule.replays[i - 1].before_use) {
      before_use.refuse("a use after " + std::to_string(schedule.replays[i - 1].before_use) +
                        ", the one before");
    }
    if (recipes.size() == 0) {
      throw FormatError::mismatch(recipes.where(), "at least one recipe", "none");
    }
  }
  return schedule;
}

Schedule read_schedule(std::istream& in, const std::string& place) {
  return read_schedule(all_of(in, place), place);
}

Schedule read_schedule(std::string_view json, const std::string& place, const Program& program) {
  Schedule schedule = read_schedule(json, place);
  if (const std::optional<ScheduleFault> fault = find_fault(program, schedule)) {
    throw FormatError(place + ": " + fault->path, fault->what);
  }
  return schedule;
}

std::string write_program(const Program& program) {
  require_valid(program, "write_program");
  std::string text =
      "{\n \"format\":\"reprise.program\",\n \"version\":" + std::to_string(kVersion) +
      ",\n \"name\":" + json_text(program.name) + ",\n \"device\":" + json_text(program.device) +
      ",\n \"step_us\":" + json_number(program.step_us) +
      ",\n \"forward_us\":" + json_number(program.forward_us) +
      ",\n \"resident_bytes\":" + std::to_string(program.resident_bytes);
  if (program.replay_overhead_us != 0) {
    text += ",\n \"replay_overhead_us\":" + json_number(program.replay_overhead_us);
  }
  if (program.use_overhead_us != 0) {
    text += ",\n \"use_overhead_us\":" + json_number(program.use_overhead_us);
  }
  text += ",\n \"forward_peak_bytes\":" + json_list(program.forward_peak_bytes);
  text += ",\n \"values\":";
  Lines values(text);
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    write_value(values.next(), program.values[i], i);
  }
  values.end();
  text += ",\n \"recipes\":";
  Lines recipes(text);
  for (std::size_t i = 0; i < program.recipes.size(); ++i) {
    write_recipe(recipes.next(), program.recipes[i], i);
  }
  recipes.end();
  text += ",\n \"uses\":";
  Lines uses(text);
  for (const Use& use : program.uses) {
    write_use(uses.next(), use);
  }
  uses.end();
  text += "\n}\n";
  return text;
}

std::string write_schedule(const Schedule& schedule) {
  require_writable(schedule.budget_bytes >= 0, "budget_bytes");
  require_writable(schedule.predicted_peak_bytes >= 0, "predicted_peak_bytes");
  require_writable(
      std::isfinite(schedule.predicted_recompute_us) && schedule.predicted_recompute_us >= 0,
      "predicted_recompute_us");
  std::string text =
      "{\n \"format\":\"reprise.schedule\",\n \"version\":" + std::to_string(kVersion) +
      ",\n \"program\":" + json_text(schedule.program_hash) +
      ",\n \"planner\":" + json_text(schedule.planner) +
      ",\n \"budget_bytes\":" + std::to_string(schedule.budget_bytes) +
      ",\n \"predicted\":{\"peak_bytes\":" + std::to_string(schedule.predicted_peak_bytes) +
      ",\"recompute_us\":" + json_number(schedule.predicted_recompute_us) + "},\n \"replays\":";
  Lines lines(text);
  for (const Replays& replays : schedule.replays) {
    lines.next() += "{\"before_use\":" + std::to_string(replays.before_use) +
                    ",\"recipes\":" + json_list(replays.recipes) + "}";
  }
  lines.end();
  text += "\n}\n";
  return text;
}

}  // namespace reprise::plan
