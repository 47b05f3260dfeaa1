// SPDX-License-Identifier: Apache-2.0
// The smallest program that says something: three ops, each reads what the one before made.
#pragma once

#include "reprise/plan/program.h"

namespace reprise::plan {

// Value 0 is external; value i + 1 is made by recipe i at op i and needed by use 2 - i.
inline Program chain_of_three() {
  Program program;
  program.name = "chain3";
  program.step_us = 180;
  program.forward_us = 60;
  program.forward_peak_bytes = {200, 200, 200};
  program.values = {{.external = true},
                    {.bytes = 100, .made_at = 0, .released_at = 1, .recipe = 0},
                    {.bytes = 100, .made_at = 1, .released_at = 2, .recipe = 1},
                    {.bytes = 100, .made_at = 2, .released_at = 2, .recipe = 2}};
  program.recipes = {{.name = "a",
                      .inputs = {0},
                      .outputs = {1},
                      .ops = {0},
                      .cost_us = 10,
                      .transient_bytes = 100},
                     {.name = "b",
                      .inputs = {1},
                      .outputs = {2},
                      .ops = {1},
                      .cost_us = 20,
                      .transient_bytes = 100},
                     {.name = "c",
                      .inputs = {2},
                      .outputs = {3},
                      .ops = {2},
                      .cost_us = 30,
                      .transient_bytes = 100}};
  program.uses = {{.name = "C", .needs = {3}, .cost_us = 60, .background_bytes = {0, 100, 50}},
                  {.name = "B", .needs = {2}, .cost_us = 40, .background_bytes = {50, 150, 50}},
                  {.name = "A", .needs = {1}, .cost_us = 20, .background_bytes = {50, 150, 50}}};
  return program;
}

}  // namespace reprise::plan
