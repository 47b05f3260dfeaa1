// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/retimed_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "reprise/plan/simulate.h"

namespace reprise::profile {
namespace {

template <class Of>
double median(const std::vector<tape::PassTimes>& times, const Of& of) {
  std::vector<double> all;
  all.reserve(times.size());
  for (const tape::PassTimes& each : times) {
    all.push_back(of(each));
  }
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

std::int64_t replayed_ops(const plan::Program& program, const plan::Schedule& schedule) {
  std::size_t ops = 0;
  for (const auto& replays : schedule.replays) {
    for (const int recipe : replays.recipes) {
      ops += program.recipes[static_cast<std::size_t>(recipe)].ops.size();
    }
  }
  return static_cast<std::int64_t>(ops);
}

}  // namespace

plan::Program retimed_program(const plan::Program& program, const plan::Schedule& schedule,
                              const std::vector<tape::PassTimes>& times) {
  plan::Program retimed = program;
  for (plan::Recipe& recipe : retimed.recipes) {
    recipe.cost_us = 0;
    for (const std::int64_t op : recipe.ops) {
      recipe.cost_us += median(times, [op](const tape::PassTimes& each) {
        return each.op_us[static_cast<std::size_t>(op)];
      });
    }
  }
  retimed.step_us =
      median(times, [](const tape::PassTimes& each) { return each.pass_us - each.replay_us; });
  if (const std::int64_t ops = replayed_ops(program, schedule); ops > 0) {
    const double measured_us =
        median(times, [](const tape::PassTimes& each) { return each.replay_us; });
    const double known_us = plan::simulate(retimed, schedule).recompute_us;
    const double more_us = std::max(0.0, measured_us - known_us) / static_cast<double>(ops);
    for (plan::Recipe& recipe : retimed.recipes) {
      recipe.cost_us += more_us * static_cast<double>(recipe.ops.size());
    }
  }
  return retimed;
}

}  // namespace reprise::profile
