// SPDX-License-Identifier: Apache-2.0
// A cache of values under a byte budget that knows nothing about the future: when room is needed it
// evicts the value with the lowest score, and when an evicted value is needed it runs the op that
// makes it again, after what that op reads. Kirisame et al. 2021 (arXiv 2006.09616), section 3.
//
// Invariants:
//   1. What is read by an op or use in progress is locked and not evicted.
//   2. Of equal scores the value that has been there longest goes, so that runs are reproducible.
//   3. Values of fewer than `minimum_bytes` go only when nothing larger can; of the others those
//      that no use wants any more go first. Pinned ones never go, nor those that something may
//      still be rebuilt from and that no op can bring back.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "reprise/plan/dtr/cost_classes.h"
#include "reprise/plan/dtr/scores.h"

namespace reprise::plan::dtr {

struct CacheOptions {
  std::int64_t budget_bytes = 0;
  Score score = Score::kEq;
  std::int64_t minimum_bytes = 0;
  // More replays than this per known op are called thrashing.
  double most_replays_per_op = 60;
  // Asked every few thousand steps of replaying and scoring; false stops the cache.
  std::function<bool()> go_on = {};
};

struct CacheOp {
  std::vector<int> inputs;   // values
  std::vector<int> outputs;  // values
  double cost_us = 0;
  std::int64_t workspace_bytes = 0;  // while it runs, beyond its outputs
  bool can_rerun = true;
};

class Cache {
 public:
  explicit Cache(CacheOptions options) : options_(std::move(options)) {}

  // A value that does not exist yet.
  int add_value(std::int64_t bytes);
  // An op that has not run. Each value is the output of at most one.
  int add_op(CacheOp op);

  // The value is there now, counted from now on and free to be evicted if an op can rebuild it.
  void place(int value);
  // Time passes in which nothing of interest happens.
  void advance(double us) { clock_us_ += us; }
  // The value is there for good and never counted: it belongs to somebody else.
  void place_free(int value);
  // It may not be evicted from now on.
  void pin(int value);
  // Nothing will ask for it again, except to rebuild others. Evicts it unless it is locked, or
  // could not come back although others may need it.
  void release(int value);
  bool is_there(int value) const { return at(value).state == State::kThere; }

  // Bytes beside the values, from now on: in general, and while an op runs.
  void set_other_bytes(std::int64_t other_bytes, std::int64_t other_bytes_in_ops);

  // Runs an op of the stream for the first time.
  void run(int op);
  // Reads values for `cost_us` with `other_bytes` beside them.
  void use(const std::vector<int>& values, std::int64_t other_bytes, double cost_us);
  // Evicts until everything fits. False, and counted, if nothing is left to evict.
  bool make_room(std::int64_t extra_bytes = 0);

  // Ops that ran again, in order, since the last call.
  std::vector<int> take_replays();

  std::int64_t replays() const { return replays_; }
  double recompute_us() const { return recompute_us_; }
  std::int64_t used_bytes() const { return used_bytes_; }
  // How often room could not be made; everything ran nevertheless.
  std::int64_t overruns() const { return overruns_; }
  // Once one of them is true nothing is rebuilt any more, so what follows is meaningless.
  bool is_thrashing() const { return is_thrashing_; }
  bool is_stopped() const { return is_stopped_; }

 private:
  enum class State { kUnmade, kRunning, kThere, kEvicted };
  struct Entry {
    std::int64_t bytes = 0;
    int op = -1;               // that makes it
    std::vector<int> read_by;  // ops
    State state = State::kUnmade;
    bool is_free = false;
    bool is_pinned = false;
    bool is_wanted = true;
    int locks = 0;
    double last_read_us = 0;
    int cost_class = -1;  // of the last eviction
  };
  struct Frame {
    int op = 0;
    std::size_t next_input = 0;
    std::vector<bool> holds_lock;  // per input
  };

  Entry& at(int value) { return entries_[static_cast<std::size_t>(value)]; }
  const Entry& at(int value) const { return entries_[static_cast<std::size_t>(value)]; }
  CacheOp& op_at(int op) { return ops_[static_cast<std::size_t>(op)]; }
  const CacheOp& op_at(int op) const { return ops_[static_cast<std::size_t>(op)]; }

  bool may_step();
  void execute(int op, bool is_first);
  void begin(int op);
  void finish(const Frame& frame, bool is_first);
  void require(int value);
  void appear(int value);
  bool may_go(const Entry& entry) const;
  void lock_inputs_that_are_there(Frame& frame);
  void evict(int value);
  int pick_victim();
  double score(int value);
  double neighbourhood_us(int value, bool with_descendants);
  double classes_us(int value);
  template <class Visit>
  void visit_neighbours(int value, const Visit& visit) const;

  CacheOptions options_;
  std::vector<Entry> entries_;
  std::vector<CacheOp> ops_;
  std::vector<int> pool_;  // what may be evicted, longest there first
  std::vector<Frame> stack_;
  CostClasses classes_;
  ClassSum near_classes_;         // of classes_us()
  std::vector<int> seen_values_;  // marks of neighbourhood_us(), per value and per op
  std::vector<int> seen_ops_;
  int mark_ = 0;
  std::vector<int> log_;
  std::int64_t used_bytes_ = 0;
  std::int64_t other_bytes_ = 0;
  std::int64_t other_bytes_in_ops_ = 0;
  double clock_us_ = 0;
  std::int64_t replays_ = 0;
  double recompute_us_ = 0;
  std::int64_t overruns_ = 0;
  bool is_thrashing_ = false;
  std::int64_t steps_ = 0;
  bool is_stopped_ = false;
};

}  // namespace reprise::plan::dtr
