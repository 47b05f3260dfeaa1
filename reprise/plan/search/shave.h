// SPDX-License-Identifier: Apache-2.0
// Brings a schedule down to a budget, the cheapest relief first, and removes what it no longer
// needs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reprise/plan/search/editable_schedule.h"
#include "reprise/plan/search/over_budget.h"
#include "reprise/plan/search/random.h"
#include "reprise/plan/search/rebuild_chain.h"

namespace reprise::plan {

struct ShaveOptions {
  double input_fraction = 0.3;   // see RebuildChain::build()
  double noise = 0;              // scores are multiplied by exp(noise * u), u uniform in [-1, 1)
  double batch_fraction = 0.04;  // of the candidates, applied per round
  int earlier_uses = 1;          // tried if a value cannot be rebuilt just before its reading
};

class Shaver {
 public:
  using Place = EditableSchedule::Place;

  // `go_on()` is asked now and then; once it is false, what is under way ends as it stands.
  Shaver(EditableSchedule& edited, Random& random, std::function<bool()> go_on = {});

  // Adds replays until the peak is at most `budget_bytes`. False if it does not get there. Edits go
  // to the journal.
  //
  // Per round, every reading of a value whose last access lies before places above the budget is a
  // candidate: rebuild the value just before the reading. Its score is the chain's cost per byte
  // and place relieved; the best few are applied, each if the peak does not rise and its highest
  // place in between falls. A chain is only built for a candidate that would come next if nothing
  // but its own recipe had to run.
  bool shave(std::int64_t budget_bytes, const ShaveOptions& options);

  // Candidates looked at so far: the work of shaving, beside the edits.
  std::int64_t candidates() const { return candidate_count_; }

  // Removes replays, the costliest first, while the peak stays at most `budget_bytes` or where it
  // is: tries those inserted since `since`, and `sample` others at random (all if there are fewer).
  void prune(std::int64_t budget_bytes, EditableSchedule::Savepoint since, std::size_t sample);

 private:
  struct Candidate {
    int value;
    Place place;  // of the reading
    int recipe;   // that reads there; kNoRecipe: the use
    Place reference;
    double us_per_byte_factor;  // 1 / the places relieved, times noise
    double score;
    bool is_scored;  // else `score` is the least that it may turn out to be
  };

  void find_candidates(const ShaveOptions& options);
  void find_candidates(int value, const ShaveOptions& options);
  void add_candidate(int value, Place previous, Place reading, const ShaveOptions& options);
  std::size_t apply_best(const ShaveOptions& options, std::int64_t budget_bytes);
  bool score(Candidate& candidate, double next_score, const ShaveOptions& options);
  bool is_open(const Candidate& candidate, std::int64_t budget_bytes) const;
  bool rebuild_at(const Candidate& candidate, Place place, const ShaveOptions& options,
                  std::int64_t budget_bytes);
  bool shift_any(const ShaveOptions& options, std::int64_t budget_bytes);
  bool shift(Place place, const ShaveOptions& options, std::int64_t budget_bytes);
  bool apply(const Candidate& candidate, const ShaveOptions& options, std::int64_t budget_bytes);

  bool may_go_on();

  EditableSchedule& edited_;
  Random& random_;
  std::function<bool()> go_on_;
  std::int64_t asked_ = 0;
  RebuildChain chain_;
  OverBudget over_;
  std::vector<int> rebuildable_;       // values that a rebuilding may relieve
  std::vector<Candidate> candidates_;  // a heap, the lowest score first
  std::int64_t candidate_count_ = 0;
  std::vector<Place> free_;
  std::vector<Place> old_makers_;
  std::vector<Place> prunable_;
};

}  // namespace reprise::plan
