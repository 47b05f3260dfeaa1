// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/simulate.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "reprise/plan/hash.h"
#include "reprise/plan/shortened.h"

namespace reprise::plan {
namespace {

constexpr const char* kWhatTellsStepsApart =
    "model, sizes, batch, accumulation, dropout (or none), autocast and number of threads must be "
    "as they were";

// One stay of a value in memory.
struct Instance {
  std::int64_t first_slot = 0;  // of its production
  std::int64_t last_slot = 0;   // of its last reading
  bool is_recomputed = false;
};

// Walks the step once, closing an instance when the next production of its value begins.
class Sweep {
 public:
  explicit Sweep(const Program& program) : program_(program), open_(program.values.size()) {
    result_.timeline.reserve(program.forward_peak_bytes.size() + 3 * program.uses.size());
    for (std::size_t op = 0; op < program.forward_peak_bytes.size(); ++op) {
      result_.timeline.push_back({.kind = SlotKind::kForward,
                                  .index = static_cast<std::int64_t>(op),
                                  .background_bytes = program.forward_peak_bytes[op]});
    }
    for (std::size_t value = 0; value < program.values.size(); ++value) {
      open_[value] = {.first_slot = program.values[value].made_at,
                      .last_slot = program.values[value].made_at};
    }
  }

  Simulation run(const Schedule& schedule) {
    auto replays = schedule.replays.begin();
    for (std::size_t use = 0; use < program_.uses.size(); ++use) {
      if (replays != schedule.replays.end() && replays->before_use == static_cast<int>(use)) {
        for (const int recipe : replays->recipes) {
          replay(static_cast<std::int64_t>(use), recipe);
        }
        ++replays;
      }
      run_use(static_cast<std::int64_t>(use));
    }
    for (std::size_t value = 0; value < open_.size(); ++value) {
      close(static_cast<int>(value));
    }
    fill_live_bytes();
    find_peak();
    result_.predicted_step_us =
        program_.step_us + result_.recompute_us +
        static_cast<double>(result_.replays) * program_.replay_overhead_us +
        static_cast<double>(program_.uses.size()) * program_.use_overhead_us;
    result_.overhead = program_.step_us > 0 ? result_.recompute_us / program_.step_us : 0;
    return std::move(result_);
  }

 private:
  std::int64_t next_slot() const { return static_cast<std::int64_t>(result_.timeline.size()); }
  const Value& value(int id) const { return program_.values[static_cast<std::size_t>(id)]; }
  Instance& instance(int id) { return open_[static_cast<std::size_t>(id)]; }

  void read(const std::vector<int>& values) {
    for (const int id : values) {
      instance(id).last_slot = next_slot();
    }
  }

  void replay(std::int64_t use, int recipe_id) {
    const Recipe& recipe = program_.recipes[static_cast<std::size_t>(recipe_id)];
    read(recipe.inputs);
    std::int64_t output_bytes = 0;
    for (const int output : recipe.outputs) {
      close(output);
      instance(output) = {
          .first_slot = next_slot(), .last_slot = next_slot(), .is_recomputed = true};
      output_bytes += value(output).bytes;
    }
    const Background& background = program_.uses[static_cast<std::size_t>(use)].background_bytes;
    result_.timeline.push_back(
        {.kind = SlotKind::kReplay,
         .index = use,
         .recipe = recipe_id,
         .background_bytes = background.replaying + program_.resident_bytes,
         .workspace_bytes = std::max<std::int64_t>(0, recipe.transient_bytes - output_bytes)});
    result_.recompute_us += recipe.cost_us;
    ++result_.replays;
  }

  void run_use(std::int64_t use) {
    const Use& node = program_.uses[static_cast<std::size_t>(use)];
    read(node.needs);
    result_.timeline.push_back(
        {.kind = SlotKind::kUse,
         .index = use,
         .background_bytes = node.background_bytes.running + program_.resident_bytes});
    result_.timeline.push_back(
        {.kind = SlotKind::kAfterUse,
         .index = use,
         .background_bytes = node.background_bytes.after + program_.resident_bytes});
  }

  void close(int id) {
    if (value(id).external) {
      return;
    }
    Instance stay = instance(id);
    if (!stay.is_recomputed) {
      if (program_.is_held(value(id))) {
        return;
      }
      stay.first_slot = value(id).released_at + 1;
    }
    if (stay.first_slot <= stay.last_slot) {
      closed_.emplace_back(id, stay);
    }
  }

  void fill_live_bytes() {
    // Steps of the two curves at the slots where instances begin and end, then running sums.
    std::vector<Slot>& slots = result_.timeline;
    std::vector<std::array<std::int64_t, 2>> step(slots.size() + 1, {0, 0});
    for (const auto& [id, stay] : closed_) {
      const auto kind = static_cast<std::size_t>(stay.is_recomputed);
      step[static_cast<std::size_t>(stay.first_slot)][kind] += value(id).bytes;
      step[static_cast<std::size_t>(stay.last_slot) + 1][kind] -= value(id).bytes;
    }
    std::int64_t kept_bytes = 0;
    std::int64_t recomputed_bytes = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i].kept_bytes = kept_bytes += step[i][0];
      slots[i].recomputed_bytes = recomputed_bytes += step[i][1];
    }
  }

  void find_peak() {
    const std::vector<Slot>& slots = result_.timeline;
    const auto peak = std::max_element(
        slots.begin(), slots.end(),
        [](const Slot& a, const Slot& b) { return a.total_bytes() < b.total_bytes(); });
    if (peak == slots.end()) {
      return;
    }
    result_.peak_bytes = peak->total_bytes();
    result_.peak_slot = peak - slots.begin();
    for (const auto& [id, stay] : closed_) {
      if (stay.first_slot <= result_.peak_slot && result_.peak_slot <= stay.last_slot) {
        result_.peak_values.push_back({.value = id, .is_recomputed = stay.is_recomputed});
      }
    }
    std::sort(result_.peak_values.begin(), result_.peak_values.end(),
              [](const LiveValue& a, const LiveValue& b) { return a.value < b.value; });
  }

  const Program& program_;
  std::vector<Instance> open_;                    // per value
  std::vector<std::pair<int, Instance>> closed_;  // value and stay
  Simulation result_;
};

std::optional<ScheduleFault> find_fault(const Program& program, const Replays& replays,
                                        const std::string& path, int after_use) {
  const auto uses = static_cast<std::int64_t>(program.uses.size());
  const auto recipes = static_cast<std::int64_t>(program.recipes.size());
  if (replays.before_use < 0 || replays.before_use >= uses) {
    return ScheduleFault{path + ".before_use", "must be one of the " + std::to_string(uses) +
                                                   " uses, got " +
                                                   std::to_string(replays.before_use)};
  }
  if (replays.before_use <= after_use) {
    return ScheduleFault{path + ".before_use", "must be above " + std::to_string(after_use) +
                                                   ", the one before, got " +
                                                   std::to_string(replays.before_use)};
  }
  if (replays.recipes.empty()) {
    return ScheduleFault{path + ".recipes", "must not be empty"};
  }
  for (std::size_t i = 0; i < replays.recipes.size(); ++i) {
    const int recipe = replays.recipes[i];
    const std::string here = path + ".recipes[" + std::to_string(i) + "]";
    if (recipe < 0 || recipe >= recipes) {
      return ScheduleFault{here, "must be one of the " + std::to_string(recipes) +
                                     " recipes, got " + std::to_string(recipe)};
    }
    if (!program.recipes[static_cast<std::size_t>(recipe)].replayable) {
      return ScheduleFault{here,
                           "recipe " + std::to_string(recipe) + " (" +
                               shortened(program.recipes[static_cast<std::size_t>(recipe)].name) +
                               ") must not run again"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ScheduleFault> find_fault(const Program& program, const Schedule& schedule) {
  // First: of a schedule that was made for another program nothing else is worth telling.
  if (!schedule.program_hash.empty()) {
    const std::string hash = program_hash(program);
    if (schedule.program_hash != hash) {
      return ScheduleFault{"program", "must be " + hash + ", this program's hash, got " +
                                          shortened(schedule.program_hash) +
                                          ": it was made for another step, and " +
                                          kWhatTellsStepsApart};
    }
  }
  int after_use = -1;
  for (std::size_t i = 0; i < schedule.replays.size(); ++i) {
    const Replays& replays = schedule.replays[i];
    if (auto fault =
            find_fault(program, replays, "replays[" + std::to_string(i) + "]", after_use)) {
      return fault;
    }
    after_use = replays.before_use;
  }
  return std::nullopt;
}

Simulation simulate(const Program& program, const Schedule& schedule) {
  if (const std::optional<ScheduleFault> fault = find_fault(program, schedule)) {
    throw std::invalid_argument("simulate: schedule." + fault->path + ": " + fault->what);
  }
  return Sweep(program).run(schedule);
}

Simulation simulate_keep_all(const Program& program) { return Sweep(program).run({}); }

}  // namespace reprise::plan
