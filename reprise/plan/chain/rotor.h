// SPDX-License-Identifier: Apache-2.0
// Rotor: the fastest way to reverse a chain of unequal stages within a byte budget, where each
// stage has a list of ways to keep its record.
//
// Beaumont, Eyraud-Dubois, Herrmann, Joly, Shilova 2019 (Inria RR-9302; ACM TOMS 2024), with the
// options of rk-Rotor (Zhao et al., "Rockmate", ICML 2023). Exact among memory-persistent plans:
// what is kept once stays until its stage is reversed. Giving that up is sometimes faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "reprise/plan/chain/stage_chain.h"

namespace reprise::plan {

// States and records in level 0; `usage` is simulate_chain()'s verdict, in true bytes.
struct RotorPlan {
  std::vector<Action> actions;
  ChainUsage usage;
};

// The solved chain for every budget up to a largest one.
//
// Bytes are counted in units, sizes rounded up and budgets down, so a plan never exceeds its
// budget. With a unit that divides all sizes it is exact; in general a plan is as fast as the exact
// one for a budget smaller by one unit per state and record held. Parts of the chain that are equal
// share their row of the table, so a chain of equal stages takes one row per length.
class RotorTable {
 public:
  // The largest budget has at most `resolution` units (units.h).
  // O(stages^2 * resolution * (stages + options)) time and O(stages^2 * resolution) memory, 8 bytes
  // each: 100 unequal stages in 500 units take 20 MB and a quarter of a second.
  // Throws std::invalid_argument unless the chain is valid, the budget >= 0, the resolution >= 1.
  RotorTable(Chain chain, std::int64_t largest_budget_bytes, std::int64_t resolution = 1000);

  // The least budget that any memory-persistent plan meets; exact, whatever the unit.
  std::int64_t minimum_bytes() const;

  std::int64_t largest_budget_bytes() const { return largest_budget_bytes_; }
  std::int64_t unit_bytes() const { return unit_bytes_; }
  std::int64_t distinct_parts() const { return std::ssize(parts_); }  // rows of the table

  // The fastest plan that the units show to fit. Where rounding hides all of them, one that needs
  // little; so there is a plan exactly if budget_bytes >= minimum_bytes().
  // Throws std::invalid_argument if the budget is above the largest one.
  std::optional<RotorPlan> plan(std::int64_t budget_bytes) const;

 private:
  // A first decision about a part of the chain: keep a record of its first stage by an option, or
  // advance to state `split` and keep that.
  struct Move {
    std::int64_t split = 0;  // 0: record
    int option = 0;
    double time_us = 0;            // of the decision alone
    std::int64_t need_bytes = 0;   // while it is carried out
    std::int64_t shift_bytes = 0;  // what it keeps while `later` is reversed
    int later = 0;                 // row of the part that is reversed first; kNoRow
    int earlier = 0;               // row of what is left then; kNoRow
  };

  template <class Function>
  void for_each_move(std::size_t first, std::size_t last, Function function) const;
  void find_rows();
  void fill(std::size_t first, std::size_t last);
  Move best_move(std::size_t first, std::size_t last, std::int64_t free_bytes) const;
  void append(std::vector<Action>& actions, std::size_t first, std::size_t last,
              std::int64_t free_bytes) const;

  int row(std::size_t first, std::size_t last) const {
    return row_of_[first * chain_.stages.size() + last];
  }
  double* times(int row) { return times_.data() + static_cast<std::size_t>(row) * width_; }
  double time_us(int row, std::int64_t free_bytes) const;
  std::int64_t least_bytes(int row) const;

  Chain chain_;
  std::int64_t largest_budget_bytes_ = 0;
  std::int64_t unit_bytes_ = 1;
  std::size_t width_ = 0;                                   // numbers of units, 0 included
  std::vector<int> row_of_;                                 // per first and last stage
  std::vector<std::pair<std::size_t, std::size_t>> parts_;  // per row: the first such part
  std::vector<double> times_;                               // per row and number of free units
  std::vector<std::int64_t> least_bytes_;                   // per row
};

// One budget: a table's plan and its minimum.
struct RotorAnswer {
  std::optional<RotorPlan> plan;
  std::int64_t minimum_bytes = 0;
};
RotorAnswer plan_rotor(const Chain& chain, std::int64_t budget_bytes,
                       std::int64_t resolution = 1000);

}  // namespace reprise::plan
