// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/program_text.h"

#include <cctype>

#include "reprise/cli/number_text.h"
#include "reprise/cli/printable_text.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

std::string counted(std::int64_t number, const std::string& noun) {
  return grouped_text(number) + " " + noun + (number == 1 ? "" : "s");
}

template <class Items>
std::string counted(const Items& items, const std::string& noun) {
  return counted(static_cast<std::int64_t>(items.size()), noun);
}

const plan::Value& value_of(const plan::Program& program, int value) {
  return program.values[static_cast<std::size_t>(value)];
}

}  // namespace

std::string program_text(const plan::Program& program) {
  return shortened(printable_line(program.name)) + ": " + counted(program.ops(), "forward op") +
         ", " + counted(program.values, "value") + ", " + counted(program.recipes, "recipe") +
         ", " + counted(program.uses, "use");
}

std::string slot_text(const plan::Program& program, const plan::Slot& slot) {
  const std::string index = std::to_string(slot.index);
  if (slot.kind == plan::SlotKind::kForward) {
    return "forward op " + index;
  }
  if (slot.kind == plan::SlotKind::kReplay) {
    return "recipe " + std::to_string(slot.recipe) + " (" +
           shortened(printable_line(program.recipes[static_cast<std::size_t>(slot.recipe)].name)) +
           ") before use " + index;
  }
  return (slot.kind == plan::SlotKind::kUse ? "use " : "after use ") + index + " (" +
         shortened(printable_line(program.uses[static_cast<std::size_t>(slot.index)].name)) + ")";
}

std::optional<double> overhead_of(const plan::Program& program, double recompute_us) {
  return program.step_us > 0 ? std::optional(recompute_us / program.step_us) : std::nullopt;
}

std::string label_of(const plan::Program& program, int value) {
  const plan::Value& found = value_of(program, value);
  if (!found.label.empty() || found.recipe == plan::kNoRecipe) {
    return printable_line(found.label);
  }
  return printable_line(program.recipes[static_cast<std::size_t>(found.recipe)].label);
}

std::string op_of(const plan::Program& program, int value) {
  const plan::Value& found = value_of(program, value);
  return found.recipe == plan::kNoRecipe
             ? "op " + std::to_string(found.made_at)
             : printable_line(program.recipes[static_cast<std::size_t>(found.recipe)].name);
}

std::string general_label(const std::string& label) {
  std::string text;
  for (const char byte : label) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(byte)) != 0;
    if (!is_digit) {
      text += byte;
    } else if (text.empty() || text.back() != '*') {
      text += '*';
    }
  }
  return text;
}

}  // namespace reprise::cli
