// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "bench/planner/measure.h"
#include "bench/planner/tables.h"
#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/chain/h_revolve.h"
#include "reprise/plan/chain/mixed.h"
#include "reprise/plan/chain/rotor.h"

namespace reprise::bench {
namespace {

plan::Chain unequal_chain(int stages) {
  std::mt19937 random(1);
  const auto draw = [&random](unsigned most) {
    return static_cast<std::int64_t>(1 + random() % most);
  };
  plan::Chain chain;
  chain.input_bytes = 100;
  for (int i = 0; i < stages; ++i) {
    const double forward_us = static_cast<double>(draw(100));
    const std::int64_t output_bytes = draw(200);
    plan::Stage stage;
    stage.forward_us = forward_us;
    stage.output_bytes = output_bytes;
    stage.options = {{.forward_us = forward_us,
                      .backward_us = 2 * forward_us,
                      .saved_bytes = output_bytes + draw(800)}};
    chain.stages.push_back(stage);
  }
  return chain;
}

// Time over that of the plain step - 1 at half of the bytes that keeping everything takes.
double rotor_overhead(int stages, std::int64_t slots) {
  const plan::Chain chain = unequal_chain(stages);
  std::int64_t all_bytes = chain.input_bytes;
  for (const plan::Stage& stage : chain.stages) {
    all_bytes += stage.options.front().saved_bytes;
  }
  const plan::RotorAnswer answer = plan::plan_rotor(chain, all_bytes / 2, slots);
  return answer.plan->usage.time_us / plan::plain_us(chain) - 1;
}

}  // namespace

BenchTable chain_table() {
  BenchTable table("chains", "the exact planners of chains",
                   {{"planner", "planner", 10},
                    {"chain", "chain", 36},
                    {"result", "result", 8},
                    {"what", "what that is", 29},
                    {"cpu_s", "CPU s"},
                    {"claimed_s", "claim"}});
  const auto add = [&](const std::string& planner, const std::string& chain,
                       const std::string& what, int decimals, std::optional<double> most_s,
                       const std::function<double()>& solve) {
    const double begin_s = cpu_s();
    const double result = solve();
    const double spent_s = cpu_s() - begin_s;
    table.add({words(planner), words(chain), number(result, decimals), words(what),
               number(spent_s, 3), limit(most_s)},
              most_s ? std::optional(spent_s <= *most_s) : std::nullopt);
  };
  add("rotor", "100 unequal stages, 500 slots", "% over the plain step", 2, 1,
      [] { return 100 * rotor_overhead(100, 500); });
  add("rotor", "300 unequal stages, 500 slots", "% over the plain step", 2, {},
      [] { return 100 * rotor_overhead(300, 500); });
  add("revolve", "1,000 steps, 10 snapshots", "forward steps without record", 0, {},
      [] { return static_cast<double>(plan::revolve_advances(1000, 10)); });
  add("revolve", "2^60 steps, 1,000 snapshots", "advances of a step, at most", 0, {},
      [] { return static_cast<double>(plan::revolve_repeats(std::int64_t{1} << 60, 1000)); });
  add("mixed", "500 steps, room for 20", "forward steps", 0, {},
      [] { return static_cast<double>(plan::mixed_forward_steps(500, 20)); });
  add("h_revolve", "200 steps, 5 in memory, 20 on a disk", "times a forward step", 0, {}, [] {
    return plan::plan_h_revolve(200,
                                {{.capacity = 5}, {.capacity = 20, .write_us = 2, .read_us = 2}})
        .time_us;
  });
  return table;
}

}  // namespace reprise::bench
