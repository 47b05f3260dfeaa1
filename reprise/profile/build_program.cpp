// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/build_program.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "reprise/profile/recipe_ops.h"
#include "reprise/profile/step_error.h"
#include "reprise/profile/storage_writes.h"

namespace reprise::profile {
namespace {

std::int64_t at_least_none(std::int64_t bytes) { return std::max<std::int64_t>(0, bytes); }

// Lists without repetition: one mark per storage says which list had it last.
class Distinct {
 public:
  explicit Distinct(std::size_t storages) : last_list_(storages, -1) {}
  void begin() { ++list_; }
  bool is_new(int storage) {
    return std::exchange(last_list_[static_cast<std::size_t>(storage)], list_) != list_;
  }

 private:
  std::vector<int> last_list_;
  int list_ = -1;
};

class Builder {
 public:
  explicit Builder(const StepTrace& trace)
      : trace_(trace),
        writes_(trace),
        made_bytes_(trace.ops.size()),
        distinct_(trace.storages.size()) {
    built_.value_of_storage.assign(trace.storages.size(), kNoValue);
  }

  BuiltProgram build() {
    add_step();
    const std::vector<std::vector<int>> needs = needs_of_uses();
    const std::vector<std::vector<int>> groups = group_ops(trace_, writes_, all_of(needs));
    for (const std::vector<int>& ops : groups) {
      add_recipe(ops);
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
      add_inputs(built_.program.recipes[i], static_cast<int>(i));
    }
    for (std::size_t i = 0; i < needs.size(); ++i) {
      add_use(trace_.uses[i], needs[i]);
    }
    if (const std::optional<plan::ProgramFault> fault = plan::find_fault(built_.program)) {
      throw StepError("the program of the step: " + fault->path + ": " + fault->what);
    }
    return std::move(built_);
  }

 private:
  const OpTrace& op(int number) const { return trace_.ops[static_cast<std::size_t>(number)]; }
  const StorageTrace& storage(int number) const {
    return trace_.storages[static_cast<std::size_t>(number)];
  }
  int& value_of(int storage) { return built_.value_of_storage[static_cast<std::size_t>(storage)]; }

  void add_step() {
    plan::Program& program = built_.program;
    program.name = trace_.name;
    program.device = trace_.device;
    program.step_us = trace_.step_us;
    program.forward_us = trace_.forward_us;
    for (const OpTrace& each : trace_.ops) {
      program.forward_peak_bytes.push_back(at_least_none(each.peak_bytes));
    }
    for (std::size_t i = 0; i < trace_.storages.size(); ++i) {
      add_storage(i);
    }
  }

  void add_storage(std::size_t number) {
    const StorageTrace& traced = trace_.storages[number];
    const std::vector<StorageWrite>& writes = writes_.of(static_cast<int>(number));
    if (traced.external || writes.empty()) {
      return;
    }
    if (!traced.held && traced.released_at >= built_.program.ops()) {
      throw StepError("storages[" + std::to_string(number) + "].released_at: expected one of the " +
                      std::to_string(built_.program.ops()) + " ops, got " +
                      std::to_string(traced.released_at));
    }
    made_bytes_[static_cast<std::size_t>(writes.front().op)] += traced.bytes;
    built_.program.resident_bytes += traced.held ? traced.bytes : 0;
  }

  std::vector<std::vector<int>> needs_of_uses() {
    std::vector<std::vector<int>> needs(trace_.uses.size());
    for (std::size_t use = 0; use < needs.size(); ++use) {
      distinct_.begin();
      for (std::size_t i = 0; i < trace_.uses[use].needs.size(); ++i) {
        const Access& need = trace_.uses[use].needs[i];
        if (storage(need.storage).external) {
          continue;
        }
        check_is_there(need, use, i);
        if (distinct_.is_new(need.storage)) {
          needs[use].push_back(need.storage);
        }
      }
    }
    return needs;
  }

  void check_is_there(const Access& need, std::size_t use, std::size_t index) const {
    if (const StorageWrite* write = writes_.overwrite_of(need)) {
      throw StepError(place_of_use(trace_, use) + ": needs[" + std::to_string(index) +
                      "]: expected what no later op writes, got version " +
                      std::to_string(need.version) + " of storage " + std::to_string(need.storage) +
                      ", which " + place_of_op(trace_, static_cast<std::size_t>(write->op)) +
                      " overwrites");
    }
  }

  static std::vector<int> all_of(const std::vector<std::vector<int>>& needs) {
    std::vector<int> all;
    for (const std::vector<int>& each : needs) {
      all.insert(all.end(), each.begin(), each.end());
    }
    return all;
  }

  void add_recipe(const std::vector<int>& ops) {
    plan::Recipe recipe;
    recipe.name = op(ops.back()).name;
    recipe.ops.assign(ops.begin(), ops.end());
    std::int64_t built = 0;
    for (const int number : ops) {
      const OpTrace& each = op(number);
      recipe.cost_us += each.cost_us;
      recipe.random = recipe.random || each.random;
      recipe.label = each.label.empty() ? recipe.label : each.label;
      recipe.transient_bytes = std::max(recipe.transient_bytes, built + each.transient_bytes);
      built += made_bytes_[static_cast<std::size_t>(number)];
      add_outputs(each, recipe);
    }
    recipe.transient_bytes = std::max(recipe.transient_bytes, built);
    built_.program.recipes.push_back(std::move(recipe));
  }

  void add_outputs(const OpTrace& each, plan::Recipe& recipe) {
    for (const Access& write : each.writes) {
      if (storage(write.storage).external || value_of(write.storage) != kNoValue) {
        continue;
      }
      const int id = static_cast<int>(built_.program.values.size());
      value_of(write.storage) = id;
      recipe.outputs.push_back(id);
      built_.storage_of_value.push_back(write.storage);
      built_.program.values.push_back(value_made_of(write.storage));
    }
  }

  plan::Value value_made_of(int number) const {
    const StorageTrace& traced = storage(number);
    plan::Value value;
    value.bytes = traced.bytes;
    value.made_at = writes_.of(number).back().op;
    value.released_at = traced.held ? built_.program.ops()
                                    : std::max<std::int64_t>(value.made_at, traced.released_at);
    value.recipe = static_cast<int>(built_.program.recipes.size());
    for (const StorageWrite& write : writes_.of(number)) {
      value.label = op(write.op).label.empty() ? value.label : op(write.op).label;
    }
    value.shape = traced.shape;
    value.dtype = traced.dtype;
    return value;
  }

  void add_inputs(plan::Recipe& recipe, int id) {
    distinct_.begin();
    for (const std::int64_t number : recipe.ops) {
      for (const Access& read : op(static_cast<int>(number)).reads) {
        if (storage(read.storage).external || !distinct_.is_new(read.storage)) {
          continue;
        }
        const int value = value_of(read.storage);
        if (built_.program.values[static_cast<std::size_t>(value)].recipe != id) {
          recipe.inputs.push_back(value);
        }
      }
    }
  }

  void add_use(const UseTrace& traced, const std::vector<int>& needs) {
    plan::Use use;
    use.name = traced.name;
    use.label = traced.label;
    use.cost_us = traced.cost_us;
    const std::int64_t resident = built_.program.resident_bytes;
    use.background_bytes = {at_least_none(traced.begin_bytes - resident),
                            at_least_none(traced.peak_bytes - resident),
                            at_least_none(traced.after_bytes - resident)};
    for (const int need : needs) {
      use.needs.push_back(value_of(need));
    }
    built_.program.uses.push_back(std::move(use));
  }

  const StepTrace& trace_;
  const StorageWrites writes_;
  std::vector<std::int64_t> made_bytes_;  // per op: of the storages that are born with it
  Distinct distinct_;
  BuiltProgram built_;
};

}  // namespace

BuiltProgram build_program(const StepTrace& trace) { return Builder(trace).build(); }

}  // namespace reprise::profile
