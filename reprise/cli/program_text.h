// SPDX-License-Identifier: Apache-2.0
// The parts of a program in words; what slots and programs are called is cut (shortened.h).
#pragma once

#include <optional>
#include <string>

#include "reprise/plan/program.h"
#include "reprise/plan/simulate.h"

namespace reprise::cli {

// "gpt6: 200 forward ops, 297 values, 140 recipes, 79 uses".
std::string program_text(const plan::Program& program);

// "forward op 12", "use 40 (SoftmaxBackward0)", "after use 40 (SoftmaxBackward0)",
// "recipe 3 (gelu) before use 40".
std::string slot_text(const plan::Program& program, const plan::Slot& slot);

// `recompute_us` as a share of the step; nothing if the step takes no time.
std::optional<double> overhead_of(const plan::Program& program, double recompute_us);

// Where a value comes from: its own label or that of its recipe; "" if neither is known.
std::string label_of(const plan::Program& program, int value);
// The name of the recipe that makes it, or "op 12" if none does.
std::string op_of(const plan::Program& program, int value);

// A label with every number in it replaced by *: "blocks.*.attention".
std::string general_label(const std::string& label);

}  // namespace reprise::cli
