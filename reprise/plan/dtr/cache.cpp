// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/dtr/cache.h"

#include <algorithm>
#include <utility>

namespace reprise::plan::dtr {
namespace {

constexpr std::int64_t kStepsBetweenQuestions = 4096;

}  // namespace

int Cache::add_value(std::int64_t bytes) {
  entries_.emplace_back();
  entries_.back().bytes = bytes;
  entries_.back().last_read_us = clock_us_;
  seen_values_.push_back(0);
  return static_cast<int>(entries_.size()) - 1;
}

int Cache::add_op(CacheOp op) {
  const int id = static_cast<int>(ops_.size());
  for (const int input : op.inputs) {
    at(input).read_by.push_back(id);
  }
  for (const int output : op.outputs) {
    at(output).op = id;
  }
  ops_.push_back(std::move(op));
  seen_ops_.push_back(0);
  return id;
}

void Cache::place(int value) {
  if (at(value).state != State::kThere) {
    appear(value);
    at(value).last_read_us = clock_us_;
  }
}

void Cache::appear(int value) {
  Entry& entry = at(value);
  entry.state = State::kThere;
  entry.is_free = false;
  used_bytes_ += entry.bytes;
  pool_.push_back(value);
}

void Cache::place_free(int value) {
  at(value).state = State::kThere;
  at(value).is_free = true;
}

void Cache::pin(int value) { at(value).is_pinned = true; }

void Cache::release(int value) {
  Entry& entry = at(value);
  entry.is_wanted = false;
  if (entry.state == State::kThere && !entry.is_free && may_go(entry)) {
    evict(value);
  }
}

void Cache::set_other_bytes(std::int64_t other_bytes, std::int64_t other_bytes_in_ops) {
  other_bytes_ = other_bytes;
  other_bytes_in_ops_ = other_bytes_in_ops;
}

void Cache::run(int op) {
  execute(op, true);
  for (const int output : op_at(op).outputs) {
    at(output).last_read_us = clock_us_;
  }
}

void Cache::use(const std::vector<int>& values, std::int64_t other_bytes, double cost_us) {
  std::vector<int> locked;
  for (const int value : values) {
    at(value).last_read_us = clock_us_;
    if (is_there(value)) {
      ++at(value).locks;
      locked.push_back(value);
    }
  }
  for (const int value : values) {
    if (std::find(locked.begin(), locked.end(), value) == locked.end()) {
      require(value);
      ++at(value).locks;
      locked.push_back(value);
    }
  }
  other_bytes_ = other_bytes;
  make_room();
  clock_us_ += cost_us;
  for (const int value : locked) {
    --at(value).locks;
  }
}

std::vector<int> Cache::take_replays() { return std::exchange(log_, {}); }

void Cache::require(int value) {
  const Entry& entry = at(value);
  if (entry.state == State::kEvicted && entry.op >= 0) {
    execute(entry.op, false);
  }
}

// Counts a step. False if the cache is to stop instead.
bool Cache::may_step() {
  if (!is_stopped_ && ++steps_ % kStepsBetweenQuestions == 0 && options_.go_on) {
    is_stopped_ = !options_.go_on();
  }
  return !is_stopped_;
}

// Runs the op after what it reads, with a stack of its own: chains of thousands of ops are common.
void Cache::execute(int op, bool is_first) {
  const std::size_t bottom = stack_.size();
  begin(op);
  while (stack_.size() > bottom && !is_thrashing_ && may_step()) {
    Frame& frame = stack_.back();
    const std::vector<int>& inputs = op_at(frame.op).inputs;
    if (frame.next_input < inputs.size()) {
      const std::size_t index = frame.next_input;
      const int input = inputs[index];
      if (frame.holds_lock[index]) {
        ++frame.next_input;
      } else if (at(input).state == State::kThere) {  // came back since the op began
        ++at(input).locks;
        frame.holds_lock[index] = true;
        ++frame.next_input;
      } else {
        begin(at(input).op);
      }
      continue;
    }
    const Frame done = std::move(stack_.back());
    stack_.pop_back();
    finish(done, is_first && stack_.size() == bottom);
  }
  stack_.resize(std::min(stack_.size(), bottom));
}

void Cache::begin(int op) {
  Frame frame{.op = op, .next_input = 0, .holds_lock = {}};
  frame.holds_lock.assign(op_at(op).inputs.size(), false);
  for (const int output : op_at(op).outputs) {
    if (at(output).state == State::kUnmade) {
      at(output).state = State::kRunning;
    }
  }
  lock_inputs_that_are_there(frame);
  stack_.push_back(std::move(frame));
}

void Cache::lock_inputs_that_are_there(Frame& frame) {
  const std::vector<int>& inputs = op_at(frame.op).inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Entry& input = at(inputs[i]);
    input.last_read_us = clock_us_;
    if (input.state == State::kThere) {
      ++input.locks;
      frame.holds_lock[i] = true;
    }
  }
}

void Cache::finish(const Frame& frame, bool is_first) {
  const CacheOp& op = op_at(frame.op);
  // A new instance takes the place of an old one that is still there.
  std::int64_t new_bytes = 0;
  for (const int output : op.outputs) {
    Entry& entry = at(output);
    new_bytes += entry.state == State::kThere && !entry.is_free ? 0 : entry.bytes;
    ++entry.locks;
  }
  const std::int64_t general_bytes = std::exchange(other_bytes_, other_bytes_in_ops_);
  make_room(new_bytes + op.workspace_bytes);
  other_bytes_ = general_bytes;
  for (const int output : op.outputs) {
    Entry& entry = at(output);
    --entry.locks;
    if (entry.state == State::kEvicted) {
      classes_.subtract(entry.cost_class, op.cost_us);
    }
    if (entry.state != State::kThere || entry.is_free) {
      appear(output);
    }
  }
  clock_us_ += op.cost_us;
  if (!is_first) {
    ++replays_;
    recompute_us_ += op.cost_us;
    log_.push_back(frame.op);
    is_thrashing_ = static_cast<double>(replays_) >
                    options_.most_replays_per_op * static_cast<double>(ops_.size());
  }
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    at(op.inputs[i]).locks -= frame.holds_lock[i] ? 1 : 0;
  }
}

}  // namespace reprise::plan::dtr
