// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <stdexcept>

#include "reprise/plan/format_header.h"
#include "reprise/plan/json_document.h"
#include "reprise/plan/serialize.h"

namespace reprise::plan {
namespace {

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

std::string write_program(const Program& program) {
  require_valid(program, "write_program");
  std::string text =
      "{\n \"format\":\"reprise.program\",\n \"version\":" + std::to_string(kFormatVersion) +
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
      "{\n \"format\":\"reprise.schedule\",\n \"version\":" + std::to_string(kFormatVersion) +
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
