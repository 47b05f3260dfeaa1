// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/program.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace reprise::plan {
namespace {

std::string at(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

// Looks for faults one after the other and keeps the first.
class FaultFinder {
 public:
  explicit FaultFinder(const Program& program) : program_(program) {}

  std::optional<ProgramFault> find() {
    check_time("step_us", program_.step_us);
    check_time("forward_us", program_.forward_us);
    check_bytes("resident_bytes", program_.resident_bytes);
    for (std::size_t i = 0; i < program_.forward_peak_bytes.size(); ++i) {
      check_bytes(at("forward_peak_bytes", i), program_.forward_peak_bytes[i]);
    }
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      check_value(at("values", i), program_.values[i]);
    }
    for (std::size_t i = 0; i < program_.recipes.size(); ++i) {
      check_recipe(i);
    }
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      check_listed_by_its_recipe(i);
    }
    for (std::size_t i = 0; i < program_.uses.size(); ++i) {
      check_use(at("uses", i), program_.uses[i]);
    }
    check_time("replay_overhead_us", program_.replay_overhead_us);
    check_time("use_overhead_us", program_.use_overhead_us);
    if (!fault_) {
      check_acyclic();
    }
    return fault_;
  }

 private:
  void report(std::string path, std::string what) {
    if (!fault_) {
      fault_ = {std::move(path), std::move(what)};
    }
  }

  void check_bytes(const std::string& path, std::int64_t bytes) {
    if (bytes < 0) {
      report(path, "must not be negative, got " + std::to_string(bytes));
    }
    // The sum of all sizes must stay a number: a sweep adds them.
    else if (bytes > kMostBytes - std::min(total_bytes_, kMostBytes)) {
      report(path, "all sizes together must stay below 2^60 bytes, got " + std::to_string(bytes));
    }
    total_bytes_ += std::max<std::int64_t>(0, std::min(bytes, kMostBytes));
    total_bytes_ = std::min(total_bytes_, kMostBytes);
  }

  void check_time(const std::string& path, double us) {
    if (!std::isfinite(us) || us < 0) {
      report(path, "must be a finite number of microseconds >= 0, got " + std::to_string(us));
    }
    // Planners add times, square their sums and multiply them by numbers of replays.
    else if (us > kMostUs - total_us_) {
      std::ostringstream got;
      got << us;
      report(path, "all times together must stay below 1e18 us, got " + got.str());
    } else {
      total_us_ += us;
    }
  }

  void check_value(const std::string& path, const Value& value) {
    check_bytes(path + ".bytes", value.bytes);
    if (value.external) {
      if (value.recipe != kNoRecipe) {
        report(path + ".recipe", "an external value has none, got " + std::to_string(value.recipe));
      }
      return;
    }
    if (value.made_at < 0 || value.made_at >= program_.ops()) {
      report(path + ".made_at", "must be one of the " + std::to_string(program_.ops()) +
                                    " forward ops, got " + std::to_string(value.made_at));
    }
    if (value.released_at < value.made_at) {
      report(path + ".released_at", "must not be before made_at (" + std::to_string(value.made_at) +
                                        "), got " + std::to_string(value.released_at));
    }
    if (value.recipe != kNoRecipe &&
        (value.recipe < 0 || value.recipe >= static_cast<int>(program_.recipes.size()))) {
      report(path + ".recipe", "must be one of the " + std::to_string(program_.recipes.size()) +
                                   " recipes, got " + std::to_string(value.recipe));
    }
  }

  void check_ids(const std::string& path, const std::vector<int>& ids) {
    marks_.resize(program_.values.size(), 0);
    ++mark_;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0 || ids[i] >= static_cast<int>(program_.values.size())) {
        report(at(path, i), "must be one of the " + std::to_string(program_.values.size()) +
                                " values, got " + std::to_string(ids[i]));
        continue;
      }
      std::int64_t& mark = marks_[static_cast<std::size_t>(ids[i])];
      if (mark == mark_) {
        report(at(path, i), "value " + std::to_string(ids[i]) + " is listed twice");
      }
      mark = mark_;
    }
  }

  void check_recipe(std::size_t index) {
    const Recipe& recipe = program_.recipes[index];
    const std::string path = at("recipes", index);
    check_ids(path + ".inputs", recipe.inputs);
    check_ids(path + ".outputs", recipe.outputs);
    if (recipe.outputs.empty()) {
      report(path + ".outputs", "must list at least one value");
    }
    for (std::size_t i = 0; !fault_ && i < recipe.outputs.size(); ++i) {
      const Value& output = program_.values[static_cast<std::size_t>(recipe.outputs[i])];
      if (output.recipe != static_cast<int>(index)) {
        report(at(path + ".outputs", i), "value " + std::to_string(recipe.outputs[i]) +
                                             " does not name this recipe as its own");
      }
    }
    for (std::size_t i = 0; i < recipe.ops.size(); ++i) {
      if (recipe.ops[i] < 0 || recipe.ops[i] >= program_.ops()) {
        report(at(path + ".ops", i), "must be one of the " + std::to_string(program_.ops()) +
                                         " forward ops, got " + std::to_string(recipe.ops[i]));
      }
    }
    check_time(path + ".cost_us", recipe.cost_us);
    check_bytes(path + ".transient_bytes", recipe.transient_bytes);
  }

  void check_listed_by_its_recipe(std::size_t index) {
    const int recipe = program_.values[index].recipe;
    if (fault_ || recipe == kNoRecipe) {
      return;
    }
    for (const int output : program_.recipes[static_cast<std::size_t>(recipe)].outputs) {
      if (output == static_cast<int>(index)) {
        return;
      }
    }
    report(at("values", index) + ".recipe",
           "recipe " + std::to_string(recipe) + " does not list this value as an output");
  }

  void check_use(const std::string& path, const Use& use) {
    check_ids(path + ".needs", use.needs);
    check_time(path + ".cost_us", use.cost_us);
    check_bytes(path + ".background_bytes[0]", use.background_bytes.replaying);
    check_bytes(path + ".background_bytes[1]", use.background_bytes.running);
    check_bytes(path + ".background_bytes[2]", use.background_bytes.after);
  }

  // Recipes whose producers have all been seen are removed until none is left or a cycle is.
  void check_acyclic() {
    const std::size_t count = program_.recipes.size();
    std::vector<int> waiting_for(count, 0);
    std::vector<std::vector<int>> readers(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (const int input : program_.recipes[i].inputs) {
        const int producer = program_.values[static_cast<std::size_t>(input)].recipe;
        if (producer != kNoRecipe) {
          readers[static_cast<std::size_t>(producer)].push_back(static_cast<int>(i));
          ++waiting_for[i];
        }
      }
    }
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < count; ++i) {
      if (waiting_for[i] == 0) {
        ready.push_back(i);
      }
    }
    for (std::size_t done = 0; done < ready.size(); ++done) {
      for (const int reader : readers[ready[done]]) {
        if (--waiting_for[static_cast<std::size_t>(reader)] == 0) {
          ready.push_back(static_cast<std::size_t>(reader));
        }
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (waiting_for[i] > 0) {
        report(at("recipes", i) + ".inputs", "depends on its own output through other recipes");
        return;
      }
    }
  }

  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
  static constexpr double kMostUs = 1e18;

  const Program& program_;
  std::optional<ProgramFault> fault_;
  std::int64_t total_bytes_ = 0;
  double total_us_ = 0;
  std::vector<std::int64_t> marks_;  // per value: the last list that had it
  std::int64_t mark_ = 0;
};

}  // namespace

std::optional<ProgramFault> find_fault(const Program& program) {
  return FaultFinder(program).find();
}

void require_valid(const Program& program, const std::string& place) {
  if (const std::optional<ProgramFault> fault = find_fault(program)) {
    throw std::invalid_argument(place + ": " + fault->path + ": " + fault->what);
  }
}

}  // namespace reprise::plan
