// SPDX-License-Identifier: Apache-2.0
// Writes programs, random schedules of them, and what simulate() says of each, for judge_test.py:
// one JSON object per line, a program or a schedule of the program before it.
#include <iostream>
#include <string>

#include "reprise/plan/generate/random.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/random_schedule.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::plan {
namespace {

std::string one_line(std::string json) {
  std::erase(json, '\n');  // our own writers': inside text a line feed is \n
  return json;
}

void write(const Program& program, const Schedule& schedule) {
  const Simulation result = simulate(program, schedule);
  Schedule judged = schedule;
  judged.predicted_peak_bytes = result.peak_bytes;
  judged.predicted_recompute_us = result.recompute_us;
  std::cout << "{\"schedule\":" << one_line(write_schedule(judged))
            << ",\"peak_slot\":" << result.peak_slot << ",\"replays\":" << result.replays << "}\n";
}

void write(const Program& program, std::uint64_t first_seed, std::uint64_t schedules) {
  std::cout << "{\"program\":" << one_line(write_program(program)) << "}\n";
  write(program, Schedule{});
  for (std::uint64_t seed = first_seed; seed < first_seed + schedules; ++seed) {
    write(program, random_schedule(program, seed));
  }
}

void write_all() {
  for (std::uint64_t seed = 1; seed <= 920; ++seed) {
    write(generate_random({.ops = 1 + static_cast<std::int64_t>(seed % 30), .seed = seed}),
          10 * seed, 10);
  }
  for (const std::string name : {"gpt6", "resnet50", "unet"}) {
    write(recorded_program(name), 1, 250);
  }
  write(recorded_program("gpt24"), 1, 40);
  write(recorded_program("lstm300"), 1, 10);
  for (const std::string& name : other_kinds()) {
    write(recorded_program(name), 1, 10);
  }
}

}  // namespace
}  // namespace reprise::plan

int main() { reprise::plan::write_all(); }
