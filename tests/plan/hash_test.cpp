// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/hash.h"

#include <functional>

#include <gtest/gtest.h>

#include "tests/plan/chain_program.h"

namespace reprise::plan {
namespace {

std::string hash_after(const std::function<void(Program&)>& change) {
  Program program = chain_of_three();
  change(program);
  return program_hash(program);
}

const std::string& chain_hash() {
  static const std::string hash = program_hash(chain_of_three());
  return hash;
}

TEST(ProgramHash, IsPinned) {
  EXPECT_EQ(chain_hash(), "3a053cd300c9d95aa29596576c76c8b574388f78c02881bcca14aa111983b955");
}

TEST(ProgramHash, IsNotTouchedByTimesLabelsAndNames) {
  EXPECT_EQ(hash_after([](Program& p) {
              p.name = "other";
              p.device = "cuda:0";
              p.step_us = 1;
              p.forward_us = 1;
              p.replay_overhead_us = 1;
              p.use_overhead_us = 1;
              p.values[1].label = "blocks.0";
              p.values[1].shape = {5, 5};
              p.values[1].dtype = "float";
              p.recipes[1].cost_us = 1;
              p.recipes[1].label = "blocks.0";
              p.uses[1].cost_us = 1;
              p.uses[1].label = "blocks.0";
            }),
            chain_hash());
}

TEST(ProgramHash, IsNotTouchedByWhenAnExternalValueWasMade) {
  EXPECT_EQ(hash_after([](Program& p) {
              p.values[0].made_at = 1;
              p.values[0].released_at = 2;
            }),
            chain_hash());
}

TEST(ProgramHash, ChangesWithEachFieldOfAValue) {
  EXPECT_NE(hash_after([](Program& p) { p.values[1].bytes = 101; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.values[1].external = true; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.values[3].made_at = 1; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.values[1].released_at = 2; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.values[1].recipe = kNoRecipe; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.values.push_back({}); }), chain_hash());
}

TEST(ProgramHash, ChangesWithEachFieldOfARecipe) {
  EXPECT_NE(hash_after([](Program& p) { p.recipes[1].name = "B"; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.recipes[1].inputs = {0}; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.recipes[1].outputs = {3}; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.recipes[1].ops = {0}; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.recipes[1].transient_bytes = 1; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.recipes[1].random = true; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.recipes[1].replayable = false; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.recipes.pop_back(); }), chain_hash());
}

TEST(ProgramHash, ChangesWithEachFieldOfAUse) {
  EXPECT_NE(hash_after([](Program& p) { p.uses[1].name = "b"; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.uses[1].needs = {1}; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.uses[1].background_bytes.replaying = 1; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.uses[1].background_bytes.running = 1; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.uses[1].background_bytes.after = 1; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.uses.pop_back(); }), chain_hash());
}

TEST(ProgramHash, ChangesWithTheForwardPeaksAndTheResidentBytes) {
  EXPECT_NE(hash_after([](Program& p) { p.forward_peak_bytes[1] = 1; }), chain_hash());
  EXPECT_NE(hash_after([](Program& p) { p.resident_bytes = 1; }), chain_hash());
}

TEST(ProgramHash, TellsListsApartThatReadTheSameOneBehindTheOther) {
  EXPECT_NE(hash_after([](Program& p) {
              p.recipes[1].inputs = {1, 2};
              p.recipes[1].outputs = {};
            }),
            hash_after([](Program& p) {
              p.recipes[1].inputs = {1};
              p.recipes[1].outputs = {2};
            }));
}

Schedule schedule_of(const std::string& program, std::vector<Replays> replays) {
  Schedule schedule;
  schedule.program_hash = program;
  schedule.replays = std::move(replays);
  return schedule;
}

TEST(ScheduleHash, IsOfTheReplaysAndTheProgramAlone) {
  const Schedule schedule = schedule_of("p", {{1, {0, 1}}});
  Schedule other = schedule;
  other.planner = "search";
  other.budget_bytes = 5;
  other.predicted_peak_bytes = 5;
  other.predicted_recompute_us = 5;
  EXPECT_EQ(schedule_hash(other), schedule_hash(schedule));
  EXPECT_NE(schedule_hash(schedule_of("q", {{1, {0, 1}}})), schedule_hash(schedule));
  EXPECT_NE(schedule_hash(schedule_of("p", {{2, {0, 1}}})), schedule_hash(schedule));
  EXPECT_NE(schedule_hash(schedule_of("p", {{1, {1, 0}}})), schedule_hash(schedule));
  EXPECT_NE(schedule_hash(schedule_of("p", {{1, {0}}, {2, {1}}})), schedule_hash(schedule));
}

}  // namespace
}  // namespace reprise::plan
