// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/disk_revolve.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

constexpr int kDisk = 1;
constexpr std::int64_t kMemory = 0;  // a split that leaves the part to memory

struct Choice {
  double time_us = 0;
  std::int64_t split = kMemory;
};

class Recurrence {
 public:
  Recurrence(std::int64_t steps, std::int64_t memory, const DiskCost& cost, DiskReads reads)
      : steps_(steps), memory_(memory), cost_(cost), reads_(reads) {
    const auto size = static_cast<std::size_t>(steps) + 1;
    in_memory_us_.resize(size);
    on_disk_.resize(size);
    live_.resize(size);
    for (std::int64_t l = 1; l <= steps; ++l) {
      // Snapshots in memory are free, so that part is plain revolve.
      in_memory_us_[at(l)] =
          static_cast<double>(l) * cost.step.turn_us +
          static_cast<double>(revolve_advances(l, memory)) * cost.step.forward_us;
    }
    for (std::int64_t l = 1; l <= steps; ++l) {
      fill(l);
    }
  }

  DiskRevolveTimes times() const {
    return {.memory_only_us = in_memory_us_[at(steps_)],
            .first_on_disk_us = on_disk_[at(steps_)].time_us,
            .unlimited_disk_us = live_[at(steps_)].time_us};
  }

  double on_disk_us(std::int64_t steps) const { return on_disk_[at(steps)].time_us; }

  TimedActions plan() {
    // Forward: the parts whose first states go to disk, until memory does the rest.
    std::vector<std::int64_t> begins;
    std::int64_t begin = 0;
    while (live_[at(steps_ - begin)].split != kMemory) {
      const std::int64_t next = begin + live_[at(steps_ - begin)].split;
      actions_.push_back(snapshot(begin, kDisk));
      actions_.push_back(advance(begin, next));
      begins.push_back(begin);
      begin = next;
    }
    append_in_memory(begin, steps_);
    for (std::int64_t end = begin; !begins.empty(); end = begins.back(), begins.pop_back()) {
      actions_.push_back(restore(begins.back(), kDisk));
      append_on_disk(begins.back(), end);
    }
    return {.time_us = live_[at(steps_)].time_us, .actions = std::move(actions_)};
  }

 private:
  static std::size_t at(std::int64_t steps) { return static_cast<std::size_t>(steps); }

  void fill(std::int64_t l) {
    Choice on_disk{.time_us = in_memory_us_[at(l)]};
    Choice live = on_disk;
    for (std::int64_t j = 1; j < l; ++j) {
      const double around_us =
          static_cast<double>(j) * cost_.step.forward_us + cost_.read_us +
          (reads_ == DiskReads::kOnce ? in_memory_us_[at(j)] : on_disk_[at(j)].time_us);
      const double on_disk_us = around_us + in_memory_us_[at(l - j)];
      if (on_disk_us < on_disk.time_us) {
        on_disk = {.time_us = on_disk_us, .split = j};
      }
      const double live_us = cost_.write_us + around_us + live_[at(l - j)].time_us;
      if (live_us < live.time_us) {
        live = {.time_us = live_us, .split = j};
      }
    }
    on_disk_[at(l)] = on_disk;
    live_[at(l)] = live;
  }

  void append_in_memory(std::int64_t begin, std::int64_t end) {
    append_revolve(actions_, {.begin = begin, .end = end, .snapshots = memory_});
  }

  // State `begin` is live, and on disk for the last time if it may be read once only.
  void append_on_disk(std::int64_t begin, std::int64_t end) {
    while (reads_ == DiskReads::kAnyNumber && on_disk_[at(end - begin)].split != kMemory) {
      const std::int64_t middle = begin + on_disk_[at(end - begin)].split;
      actions_.push_back(advance(begin, middle));
      append_in_memory(middle, end);
      actions_.push_back(restore(begin, kDisk));
      end = middle;
    }
    actions_.push_back(discard(begin, kDisk));
    append_in_memory(begin, end);
  }

  std::int64_t steps_;
  std::int64_t memory_;
  DiskCost cost_;
  DiskReads reads_;
  std::vector<double> in_memory_us_;  // by number of steps, as all below
  std::vector<Choice> on_disk_;
  std::vector<Choice> live_;
  std::vector<Action> actions_;
};

void require_time(const char* place, const char* name, double us) {
  if (!(us >= 0) || !std::isfinite(us)) {
    throw std::invalid_argument(std::string(place) + ": " + name +
                                " must be finite and at least 0, got " + std::to_string(us));
  }
}

void require_problem(const char* place, std::int64_t steps, std::int64_t memory,
                     const DiskCost& cost) {
  require_at_least(place, "steps", steps, 1);
  require_at_least(place, "memory", memory, 1);
  require_time(place, "forward_us", cost.step.forward_us);
  require_time(place, "turn_us", cost.step.turn_us);
  require_time(place, "write_us", cost.write_us);
  require_time(place, "read_us", cost.read_us);
}

}  // namespace

DiskRevolveTimes disk_revolve_times(std::int64_t steps, std::int64_t memory, const DiskCost& cost,
                                    DiskReads reads) {
  require_problem("disk_revolve_times", steps, memory, cost);
  return Recurrence(steps, memory, cost, reads).times();
}

TimedActions plan_disk_revolve(std::int64_t steps, std::int64_t memory, const DiskCost& cost,
                               DiskReads reads) {
  require_problem("plan_disk_revolve", steps, memory, cost);
  return Recurrence(steps, memory, cost, reads).plan();
}

std::int64_t disk_period(std::int64_t most_period, std::int64_t memory, const DiskCost& cost,
                         DiskReads reads) {
  require_problem("disk_period", most_period, memory, cost);
  const Recurrence recurrence(most_period, memory, cost, reads);
  std::int64_t best = 1;
  const auto per_step_us = [&](std::int64_t m) {
    return (cost.write_us + cost.read_us + recurrence.on_disk_us(m)) / static_cast<double>(m);
  };
  for (std::int64_t m = 2; m <= most_period; ++m) {
    if (per_step_us(m) < per_step_us(best)) {
      best = m;
    }
  }
  return best;
}

TimedActions plan_periodic_disk(std::int64_t steps, std::int64_t memory, std::int64_t period,
                                const DiskCost& cost) {
  require_problem("plan_periodic_disk", steps, memory, cost);
  require_at_least("plan_periodic_disk", "period", period, 1);
  TimedActions result{.time_us = static_cast<double>(steps) * cost.step.turn_us, .actions = {}};
  const auto append_in_memory = [&](std::int64_t begin, std::int64_t end) {
    append_revolve(result.actions, {.begin = begin, .end = end, .snapshots = memory});
    result.time_us +=
        static_cast<double>(revolve_advances(end - begin, memory)) * cost.step.forward_us;
  };
  const std::int64_t last = (steps - 1) / period * period;
  for (std::int64_t begin = 0; begin < last; begin += period) {
    result.actions.push_back(snapshot(begin, kDisk));
    result.actions.push_back(advance(begin, begin + period));
    result.time_us += cost.write_us + static_cast<double>(period) * cost.step.forward_us;
  }
  append_in_memory(last, steps);
  for (std::int64_t begin = last - period; begin >= 0; begin -= period) {
    result.actions.push_back(restore(begin, kDisk));
    result.actions.push_back(discard(begin, kDisk));
    result.time_us += cost.read_us;
    append_in_memory(begin, begin + period);
  }
  return result;
}

}  // namespace reprise::plan
