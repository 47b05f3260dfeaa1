// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/stage_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "reprise/plan/chain/execute.h"
#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kNothing = -1;

class Requirements {
 public:
  explicit Requirements(const char* place) : place_(place) {}

  void bytes(const std::string& name, std::int64_t value) {
    require_at_least(place_, name, value, 0);
    require_at_most(place_, name, value, room_);
    room_ -= value;
  }
  void time(const std::string& name, double us) const {
    if (!(us >= 0) || !std::isfinite(us)) {
      throw std::invalid_argument(std::string(place_) + ": " + name +
                                  " must be finite and at least 0, got " + std::to_string(us));
    }
  }

 private:
  const char* place_;
  // Every sum that a planner makes has each size at most four times.
  std::int64_t room_ = std::numeric_limits<std::int64_t>::max() / 4;
};

// What a stage's record takes; no option while it has none.
struct Record {
  const StageOption* option = nullptr;
  std::int64_t bytes = 0;
};

// Bytes of what an action list holds, action by action.
class Sweep {
 public:
  explicit Sweep(const Chain& chain)
      : chain_(chain),
        held_(chain.stages.size() + 1),
        records_(chain.stages.size()),
        stored_bytes_(state_bytes(chain, std::ssize(chain.stages))) {}

  void run(const Action& action) {
    switch (action.kind) {
      case ActionKind::kAdvance:
        run_stages(action);
        break;
      case ActionKind::kSnapshot:
        hold(action.at, 1);
        stored_bytes_ += bytes(action.at);
        see(0);
        break;
      case ActionKind::kRestore:
        live_ = action.at;
        break;
      case ActionKind::kDiscard:
        hold(action.at, -1);
        stored_bytes_ -= bytes(action.at);
        break;
      case ActionKind::kRecord:
        keep_record(action);
        break;
      case ActionKind::kReverse:
        reverse_stage(action);
        break;
    }
    ++action_;
  }

  const ChainUsage& usage() const { return usage_; }

 private:
  const Stage& stage(std::int64_t index) const {
    return chain_.stages[static_cast<std::size_t>(index)];
  }
  std::int64_t bytes(std::int64_t state) const { return state_bytes(chain_, state); }
  void hold(std::int64_t state, int change) { held_[static_cast<std::size_t>(state)] += change; }
  bool is_held(std::int64_t state) const { return held_[static_cast<std::size_t>(state)] > 0; }

  // `more` bytes are there beside what is stored and live.
  void see(std::int64_t more) {
    const std::int64_t live_bytes = live_ == kNothing || is_held(live_) ? 0 : bytes(live_);
    const std::int64_t total = stored_bytes_ + live_bytes + more;
    if (total > usage_.peak_bytes) {
      usage_.peak_bytes = total;
      usage_.peak_action = action_;
    }
  }

  void run_stages(const Action& action) {
    for (; live_ < action.to; ++live_) {
      see(bytes(live_ + 1) + stage(live_).transient_bytes);
      usage_.time_us += stage(live_).forward_us;
    }
  }

  const StageOption& option(std::int64_t index, int choice) const {
    const auto& options = stage(index).options;
    if (choice < 0 || choice >= std::ssize(options)) {
      throw std::invalid_argument("simulate_chain: stage " + std::to_string(index) + " has " +
                                  std::to_string(options.size()) + " options, got option " +
                                  std::to_string(choice));
    }
    return options[static_cast<std::size_t>(choice)];
  }

  void keep_record(const Action& action) {
    const StageOption& how = option(action.at, action.option);
    see(how.saved_bytes + how.forward_transient_bytes);
    usage_.time_us += how.forward_us;
    Record& record = records_[static_cast<std::size_t>(action.at)];
    if (record.option != nullptr) {
      throw std::invalid_argument("simulate_chain: a stage may have one record, got a second of " +
                                  std::to_string(action.at));
    }
    record = {.option = &how, .bytes = how.saved_bytes};
    if (action.level == kWork && !is_held(action.at)) {
      record.bytes += bytes(action.at);
    }
    stored_bytes_ += record.bytes;
    hold(action.at + 1, 1);
    live_ = action.at + 1;
  }

  void reverse_stage(const Action& action) {
    Record& record = records_[static_cast<std::size_t>(action.at)];
    live_ = kNothing;
    see(bytes(action.at) + record.option->backward_transient_bytes);
    usage_.time_us += record.option->backward_us;
    hold(action.at + 1, -1);
    stored_bytes_ += bytes(action.at) - bytes(action.at + 1) - record.bytes;
    record = {};
  }

  const Chain& chain_;
  std::vector<int> held_;          // per state: snapshots and records that hold it
  std::vector<Record> records_;    // per stage
  std::int64_t stored_bytes_ = 0;  // snapshots, records and the gradient
  std::int64_t live_ = 0;
  std::size_t action_ = 0;
  ChainUsage usage_;
};

}  // namespace

void require_valid(const Chain& chain, const char* place) {
  require_at_least(place, "the number of stages", std::ssize(chain.stages), 1);
  Requirements require(place);
  require.bytes("input_bytes", chain.input_bytes);
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const std::string here = "stages[" + std::to_string(i) + "].";
    const Stage& stage = chain.stages[i];
    require.time(here + "forward_us", stage.forward_us);
    require.bytes(here + "output_bytes", stage.output_bytes);
    require.bytes(here + "transient_bytes", stage.transient_bytes);
    require_at_least(place, here + "options' number", std::ssize(stage.options), 1);
    for (const StageOption& option : stage.options) {
      require.time(here + "options' forward_us", option.forward_us);
      require.time(here + "options' backward_us", option.backward_us);
      require.bytes(here + "options' forward_transient_bytes", option.forward_transient_bytes);
      require.bytes(here + "options' backward_transient_bytes", option.backward_transient_bytes);
      require.bytes(here + "options' saved_bytes", option.saved_bytes);
      require_at_least(place, here + "options' saved_bytes", option.saved_bytes,
                       stage.output_bytes);
    }
  }
}

std::int64_t state_bytes(const Chain& chain, std::int64_t state) {
  return state == 0 ? chain.input_bytes
                    : chain.stages[static_cast<std::size_t>(state) - 1].output_bytes;
}

double plain_us(const Chain& chain) {
  double total_us = 0;
  for (const Stage& stage : chain.stages) {
    double best_us = std::numeric_limits<double>::infinity();
    for (const StageOption& option : stage.options) {
      best_us = std::min(best_us, option.forward_us + option.backward_us);
    }
    total_us += best_us;
  }
  return total_us;
}

ChainUsage simulate_chain(const Chain& chain, const std::vector<Action>& actions) {
  require_valid(chain, "simulate_chain");
  execute(
      {.steps = std::ssize(chain.stages), .capacities = {kUnlimited}, .record_holds_output = true},
      actions);
  Sweep sweep(chain);
  for (const Action& action : actions) {
    sweep.run(action);
  }
  return sweep.usage();
}

}  // namespace reprise::plan
