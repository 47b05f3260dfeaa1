// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/exact/backward_walk.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace reprise::plan {
namespace {

constexpr int kNoStep = -1;
constexpr std::int64_t kStepsBetweenQuestions = 2048;
// Dominance is tested against this many of the best states of a use's replays: beyond, the test
// costs more than it saves.
constexpr std::size_t kMostDominators = 2048;

struct State {
  ValueSet charged = 0;   // wanted, made by a replay or kept by forward
  ValueSet promised = 0;  // wanted, held by user code: no earlier replay makes them

  bool operator==(const State&) const = default;
};

struct StateHash {
  std::size_t operator()(const State& state) const {
    const std::uint64_t mixed = state.charged * 0x9E3779B97F4A7C15ULL ^
                                std::rotl(state.promised * 0xC2B2AE3D27D4EB4FULL, 31);
    return static_cast<std::size_t>(mixed ^ (mixed >> 29));
  }
};

// What reaching a state took, and the step that led to it: the recipe that runs before `use`, or
// none.
struct Node {
  State state;
  double recompute_us = 0;
  std::int64_t peak_bytes = 0;
  int parent = -1;
  int recipe = kNoStep;
  int use = 0;
};

class Walk {
 public:
  Walk(const Program& program, const SmallProblem& problem, WalkGoal goal, const WalkLimits& limits)
      : program_(program), problem_(problem), goal_(goal), limits_(limits) {}

  WalkResult run() {
    nodes_.push_back({});
    std::vector<int> reached = {0};
    for (std::size_t use = problem_.uses.size(); use-- > 0 && !result_.is_stopped;) {
      reached = cross_replays(static_cast<int>(use), cross_node(static_cast<int>(use), reached));
    }
    if (!result_.is_stopped) {
      finish(reached);
    }
    return std::move(result_);
  }

 private:
  // Orders by what the goal minimises, then by the other one, then by age, which makes it total.
  bool is_less(int a, int b) const {
    const Node& x = nodes_[static_cast<std::size_t>(a)];
    const Node& y = nodes_[static_cast<std::size_t>(b)];
    return goal_ == WalkGoal::kLeastTime ? std::tie(x.recompute_us, x.peak_bytes, a) <
                                               std::tie(y.recompute_us, y.peak_bytes, b)
                                         : std::tie(x.peak_bytes, x.recompute_us, a) <
                                               std::tie(y.peak_bytes, y.recompute_us, b);
  }

  // Adds the node unless it breaks a limit. Returns its position, or -1.
  int add(Node node, std::int64_t slot_bytes) {
    node.peak_bytes = std::max(node.peak_bytes, slot_bytes);
    if (node.peak_bytes > limits_.most_bytes || node.recompute_us > limits_.most_us) {
      return -1;
    }
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
  }

  // Counts a step. False if the walk is to stop instead.
  bool may_step() {
    if (result_.is_stopped) {
      return false;
    }
    ++result_.steps;
    const bool is_asked = result_.steps % kStepsBetweenQuestions == 0 && limits_.goes_on;
    result_.is_stopped =
        nodes_.size() >= limits_.most_nodes || (is_asked && !limits_.goes_on(result_.steps));
    return !result_.is_stopped;
  }

  // Calls `visit` with each state in which `read` is wanted too, until the walk is stopped.
  template <class Visit>
  void want(const State& state, ValueSet read, const Visit& visit) {
    const State base{.charged = state.charged | (read & ~problem_.held),
                     .promised = state.promised};
    const ValueSet undecided = read & problem_.held & ~(state.charged | state.promised);
    ValueSet made = 0;  // every subset of what is undecided
    do {
      if (!may_step()) {
        return;
      }
      visit(State{.charged = base.charged | made, .promised = base.promised | (undecided & ~made)});
      made = (made - undecided) & undecided;
    } while (made != 0);
  }

  // The slot after the use, then the one of its node.
  std::vector<int> cross_node(int use_id, const std::vector<int>& reached) {
    const SmallUse& use = problem_.uses[static_cast<std::size_t>(use_id)];
    std::vector<int> crossed;
    for (const int position : reached) {
      if (result_.is_stopped) {
        return {};
      }
      const Node after = nodes_[static_cast<std::size_t>(position)];
      const std::int64_t after_bytes =
          use.background_bytes.after + problem_.bytes_of(after.state.charged);
      want(after.state, use.needs, [&](const State& state) {
        Node node = after;
        node.state = state;
        node.parent = position;
        node.recipe = kNoStep;
        node.use = use_id;
        const int added = add(node, std::max(after_bytes, use.background_bytes.running +
                                                              problem_.bytes_of(state.charged)));
        if (added >= 0) {
          crossed.push_back(added);
        }
      });
    }
    return crossed;
  }

  // Every list of replays before the use, cheapest first (Dijkstra). Returns the states that no
  // other one dominates.
  std::vector<int> cross_replays(int use, const std::vector<int>& crossed) {
    const auto is_worse = [this](int a, int b) { return is_less(b, a); };
    std::priority_queue<int, std::vector<int>, decltype(is_worse)> open(is_worse);
    std::unordered_map<State, int, StateHash> best;  // the node that reaches each state for least
    // Whether the node is the best way to its state so far.
    const auto offer = [&](int position) {
      const auto [found, is_new] =
          best.try_emplace(nodes_[static_cast<std::size_t>(position)].state, position);
      if (is_new || is_less(position, found->second)) {
        found->second = position;
        open.push(position);
        return true;
      }
      return false;
    };
    std::for_each(crossed.begin(), crossed.end(), offer);

    std::vector<int> settled;
    while (!open.empty() && may_step()) {
      const int position = open.top();
      open.pop();
      const Node node = nodes_[static_cast<std::size_t>(position)];
      if (best.at(node.state) != position || is_dominated(node.state, settled)) {
        continue;
      }
      settled.push_back(position);
      for (std::size_t recipe = 0; recipe < problem_.recipes.size(); ++recipe) {
        step_back(use, static_cast<int>(recipe), position, node, offer);
      }
    }
    return settled;
  }

  // The replay runs just before what is wanted in `node`.
  template <class Offer>
  void step_back(int use, int recipe_id, int position, const Node& node, const Offer& offer) {
    const SmallRecipe& recipe = problem_.recipes[static_cast<std::size_t>(recipe_id)];
    if ((recipe.outputs & node.state.charged) == 0 || (recipe.outputs & node.state.promised) != 0) {
      return;
    }
    const std::int64_t other_bytes =
        problem_.uses[static_cast<std::size_t>(use)].background_bytes.replaying +
        recipe.other_bytes;
    const State before{.charged = node.state.charged & ~recipe.outputs,
                       .promised = node.state.promised};
    want(before, recipe.inputs, [&](const State& state) {
      Node next = node;
      next.state = state;
      next.recompute_us += recipe.cost_us;
      next.parent = position;
      next.recipe = recipe_id;
      next.use = use;
      const int added = add(next, other_bytes + problem_.bytes_of(state.charged | recipe.outputs));
      if (added >= 0 && !offer(added)) {
        nodes_.pop_back();
      }
    });
  }

  bool is_dominated(const State& state, const std::vector<int>& settled) const {
    const std::size_t count = std::min(settled.size(), kMostDominators);
    return std::any_of(settled.begin(), settled.begin() + static_cast<std::ptrdiff_t>(count),
                       [&](int other) {
                         const State& smaller = nodes_[static_cast<std::size_t>(other)].state;
                         return (smaller.charged & ~state.charged) == 0 &&
                                (smaller.promised & ~state.promised) == 0;
                       });
  }

  // Most bytes of a forward slot if the set is kept for backward.
  std::int64_t forward_bytes(ValueSet kept) const {
    std::vector<std::int64_t> charged_from(program_.forward_peak_bytes.size() + 1, 0);
    for (; kept != 0; kept &= kept - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(kept));
      const Value& value = program_.values[static_cast<std::size_t>(problem_.values[bit])];
      charged_from[static_cast<std::size_t>(value.released_at) + 1] += value.bytes;
    }
    std::int64_t most_bytes = 0;
    std::int64_t kept_bytes = 0;
    for (std::size_t op = 0; op < program_.forward_peak_bytes.size(); ++op) {
      kept_bytes += charged_from[op];
      most_bytes = std::max(most_bytes, kept_bytes + program_.forward_peak_bytes[op]);
    }
    return most_bytes;
  }

  void finish(const std::vector<int>& reached) {
    int best = -1;
    for (const int position : reached) {
      const Node node = nodes_[static_cast<std::size_t>(position)];
      if ((node.state.charged & problem_.held) != 0) {
        continue;  // waits for a replay that never came
      }
      const int added = add(node, forward_bytes(node.state.charged));
      if (added >= 0 && (best < 0 || is_less(added, best))) {
        best = added;
      }
    }
    if (best < 0) {
      return;
    }
    std::vector<Replays> replays;
    for (int at = best; at >= 0; at = nodes_[static_cast<std::size_t>(at)].parent) {
      const Node& node = nodes_[static_cast<std::size_t>(at)];
      if (node.recipe == kNoStep) {
        continue;
      }
      recipes_before(replays, node.use)
          .push_back(problem_.recipes[static_cast<std::size_t>(node.recipe)].id);
    }
    result_.replays = std::move(replays);
  }

  const Program& program_;
  const SmallProblem& problem_;
  WalkGoal goal_;
  const WalkLimits& limits_;
  std::vector<Node> nodes_;
  WalkResult result_;
};

}  // namespace

WalkResult walk_backwards(const Program& program, const SmallProblem& problem, WalkGoal goal,
                          const WalkLimits& limits) {
  return Walk(program, problem, goal, limits).run();
}

}  // namespace reprise::plan
