// SPDX-License-Identifier: Apache-2.0
// Brings a schedule down to a budget, the cheapest relief first, and removes what it no longer
// needs.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/search/editable_schedule.h"
#include "reprise/plan/search/random.h"
#include "reprise/plan/search/rebuild_chain.h"

namespace reprise::plan {

struct ShaveOptions {
  double input_fraction = 0.3;   // see RebuildChain::build()
  double noise = 0;              // scores are multiplied by exp(noise * u), u uniform in [-1, 1)
  double batch_fraction = 0.04;  // of the candidates, applied per round
  int earlier_gaps = 1;          // tried if a value cannot be rebuilt just before its reading
};

class Shaver {
 public:
  using Place = EditableSchedule::Place;

  Shaver(EditableSchedule& edited, Random& random);

  // Adds replays until the peak is at most `budget_bytes`. False if it does not get there. Edits go
  // to the journal.
  //
  // Per round, every reading of a value whose last access lies before places above the budget is a
  // candidate: rebuild the value just before the reading. Its score is the chain's cost per byte
  // and place relieved; the best few are applied, each if the peak does not rise and its highest
  // place in between falls.
  bool shave(std::int64_t budget_bytes, const ShaveOptions& options);

  // Removes replays, the costliest first, while the peak stays at most `budget_bytes` or where it
  // is: tries those inserted since `since`, and `sample` others at random (all if there are fewer).
  void prune(std::int64_t budget_bytes, EditableSchedule::Savepoint since, std::size_t sample);

 private:
  struct Candidate {
    int value;
    Place place;  // of the reading
    int recipe;   // that reads there; kNoRecipe: the use
    Place reference;
    double score;
  };

  // The places above the budget between two others, and the one that a rebuilding there has to
  // relieve: the peak if it is among them, else the middle one.
  struct Over {
    std::int64_t count = 0;
    Place reference = 0;
  };
  Over over_between(Place after, Place before) const;
  void find_candidates(const ShaveOptions& options);
  void find_candidates(int value, const ShaveOptions& options);
  void score(int value, Place previous, Place reading, const ShaveOptions& options);
  bool rebuild_at(const Candidate& candidate, Place place, const ShaveOptions& options,
                  std::int64_t budget_bytes);
  bool shift_any(const ShaveOptions& options, std::int64_t budget_bytes);
  bool shift(Place place, const ShaveOptions& options, std::int64_t budget_bytes);
  bool apply(const Candidate& candidate, const ShaveOptions& options, std::int64_t budget_bytes);

  EditableSchedule& edited_;
  Random& random_;
  RebuildChain chain_;
  Place peak_place_ = 0;
  std::vector<Place> over_;  // places above the budget, ascending
  std::vector<Candidate> candidates_;
  std::vector<Place> free_;
  std::vector<Place> old_makers_;
  std::vector<Place> prunable_;
};

}  // namespace reprise::plan
