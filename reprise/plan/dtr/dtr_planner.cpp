// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/dtr/dtr_planner.h"

#include <algorithm>
#include <array>
#include <utility>

#include "reprise/plan/candidates.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

constexpr double kMostReplaysPerRecipe = 8;
constexpr double kMostBudget = 0x1p62;  // so that a looser budget is a number too

class OnlineStep {
 public:
  OnlineStep(const Program& program, const dtr::CacheOptions& options,
             const std::vector<std::string>& pinned_ops)
      : program_(program), cache_(options), last_use_(program.values.size(), -1) {
    for (const Value& value : program.values) {
      const int id = cache_.add_value(value.bytes);
      if (!program.is_counted(value)) {
        cache_.place_free(id);
      }
    }
    for (const Recipe& recipe : program.recipes) {
      std::int64_t output_bytes = 0;
      for (const int output : recipe.outputs) {
        output_bytes += program.values[static_cast<std::size_t>(output)].bytes;
        if (std::find(pinned_ops.begin(), pinned_ops.end(), recipe.name) != pinned_ops.end()) {
          cache_.pin(output);
        }
      }
      cache_.add_op(
          {.inputs = recipe.inputs,
           .outputs = recipe.outputs,
           .cost_us = recipe.cost_us,
           .workspace_bytes = std::max<std::int64_t>(0, recipe.transient_bytes - output_bytes),
           .can_rerun = recipe.replayable});
    }
    for (std::size_t use = 0; use < program.uses.size(); ++use) {
      for (const int value : program.uses[use].needs) {
        last_use_[static_cast<std::size_t>(value)] = static_cast<int>(use);
      }
    }
  }

  DtrRun run() {
    run_forward();
    DtrRun result;
    for (std::size_t use = 0; use < program_.uses.size(); ++use) {
      run_use(static_cast<int>(use));
      if (std::vector<int> recipes = cache_.take_replays(); !recipes.empty()) {
        result.replays.push_back(
            {.before_use = static_cast<int>(use), .recipes = std::move(recipes)});
      }
      if (cache_.is_thrashing() || cache_.is_stopped()) {
        break;
      }
    }
    result.is_thrashing = cache_.is_thrashing();
    result.is_stopped = cache_.is_stopped();
    result.overruns = cache_.overruns();
    return result;
  }

 private:
  // A value enters the cache when user code lets go of it; until then it is part of what forward
  // takes anyway.
  void run_forward() {
    std::vector<std::vector<int>> released_after(program_.forward_peak_bytes.size());
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      const Value& value = program_.values[i];
      if (program_.is_counted(value)) {
        released_after[static_cast<std::size_t>(value.released_at)].push_back(static_cast<int>(i));
      }
    }
    std::vector<double> op_us(program_.forward_peak_bytes.size(), 0);
    for (const Recipe& recipe : program_.recipes) {
      if (!recipe.ops.empty()) {
        op_us[static_cast<std::size_t>(recipe.ops.back())] += recipe.cost_us;
      }
    }
    for (std::size_t op = 0; op < program_.forward_peak_bytes.size(); ++op) {
      cache_.set_other_bytes(program_.forward_peak_bytes[op], 0);
      cache_.make_room();
      cache_.advance(op_us[op]);
      for (const int value : released_after[op]) {
        cache_.place(value);
        if (last_use_[static_cast<std::size_t>(value)] < 0) {
          cache_.release(value);
        }
      }
    }
  }

  void run_use(int index) {
    const Use& use = program_.uses[static_cast<std::size_t>(index)];
    const std::int64_t resident_bytes = program_.resident_bytes;
    const std::int64_t replaying_bytes = use.background_bytes.replaying + resident_bytes;
    cache_.set_other_bytes(replaying_bytes, replaying_bytes);
    cache_.use(use.needs, use.background_bytes.running + resident_bytes, use.cost_us);
    for (const int value : use.needs) {
      const Value& needed = program_.values[static_cast<std::size_t>(value)];
      if (last_use_[static_cast<std::size_t>(value)] == index && !needed.external) {
        cache_.release(value);
      }
    }
    cache_.set_other_bytes(use.background_bytes.after + resident_bytes, replaying_bytes);
    cache_.make_room();
  }

  const Program& program_;
  dtr::Cache cache_;
  std::vector<int> last_use_;  // per value; -1: none
};

class Dtr : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    const std::vector<std::string>& names = dtr::score_names();
    const std::string score = choice_option(request, "score").value_or("eq");
    const dtr::CacheOptions options{
        .score =
            static_cast<dtr::Score>(std::find(names.begin(), names.end(), score) - names.begin()),
        .minimum_bytes = integer_option(request, "minimum_bytes").value_or(0),
        .most_replays_per_op =
            number_option(request, "most_replays").value_or(kMostReplaysPerRecipe)};
    const std::vector<std::string> pinned_ops = names_option(request, "pin");

    constexpr std::array looser = {1.02, 1.05, 1.1, 1.2};
    constexpr std::array tighter = {0.97, 0.93, 0.87, 0.8, 0.7, 0.6};
    Candidates candidates(program, request, 1 + static_cast<std::int64_t>(tighter.size()));
    const auto goes_on_after = [&](double factor) {
      dtr::CacheOptions scaled = options;
      scaled.budget_bytes = static_cast<std::int64_t>(
          std::min(kMostBudget, static_cast<double>(request.budget_bytes) * factor));
      scaled.go_on = [&] { return candidates.goes_on(); };
      DtrRun run = run_online(program, scaled, pinned_ops);
      const bool goes_on = candidates.offer(std::move(run.replays));
      candidates.describe_last("score " + score + (run.is_thrashing ? ", thrashing" : "") +
                               (run.is_stopped ? ", stopped early" : ""));
      return goes_on;
    };
    bool goes_on = goes_on_after(1);
    const bool fits = candidates.last_fits();
    if (fits) {
      for (std::size_t i = 0; i < looser.size() && goes_on && candidates.last_fits(); ++i) {
        goes_on = goes_on_after(looser[i]);
      }
    }
    if (!fits) {
      for (std::size_t i = 0; i < tighter.size() && goes_on && !candidates.last_fits(); ++i) {
        goes_on = goes_on_after(tighter[i]);
      }
    }
    return candidates.answer();
  }
};

}  // namespace

DtrRun run_online(const Program& program, const dtr::CacheOptions& options,
                  const std::vector<std::string>& pinned_ops) {
  return OnlineStep(program, options, pinned_ops).run();
}

PlannerRecord dtr_record() {
  return record_of<Dtr>("dtr",
                        "what an online cache does that knows nothing about the rest of the step",
                        {{.name = "score",
                          .help = "what is evicted first",
                          .kind = OptionKind::kChoice,
                          .default_text = "eq",
                          .choices = dtr::score_names()},
                         {.name = "minimum_bytes",
                          .help = "smaller values go only when nothing larger can",
                          .kind = OptionKind::kInteger,
                          .default_text = "0",
                          .maximum = 1e15},
                         {.name = "pin",
                          .help = "ops whose results are never evicted",
                          .kind = OptionKind::kNames,
                          .default_text = "none"},
                         {.name = "most_replays",
                          .help = "replays per recipe beyond which it stops, thrashing",
                          .kind = OptionKind::kNumber,
                          .default_text = "8",
                          .maximum = 1e6}});
}

}  // namespace reprise::plan
