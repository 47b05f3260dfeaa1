// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/stage_chain.h"

#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/binomial.h"
#include "tests/plan/chain/chains.h"

namespace reprise::plan {
namespace {

// Three stages of forward 1, 2, 4 and backward 10, 20, 40; states of 1, 2, 4, 8 bytes, records of
// 100, 200, 400.
Chain three_stages() {
  Chain chain{.input_bytes = 1, .stages = {}};
  for (const int i : {1, 2, 4}) {
    chain.stages.push_back(
        {.forward_us = 1.0 * i,
         .output_bytes = 2 * i,
         .options = {{.forward_us = 1.0 * i, .backward_us = 10.0 * i, .saved_bytes = 100 * i}}});
  }
  return chain;
}

const std::vector<Action> kKeepAll = {snapshot(0),   record(0, 0),  record(1, 0),  record(2, 0),
                                      reverse(2, 0), reverse(1, 0), reverse(0, 0), discard(0)};

TEST(SimulateChain, AddsUpStatesRecordsAndGradients) {
  const ChainUsage usage = simulate_chain(three_stages(), kKeepAll);

  EXPECT_EQ(usage.time_us, 7 + 70);
  // While stage 2 is reversed: the input, all records, gradients of 8 and 4.
  EXPECT_EQ(usage.peak_bytes, 1 + 700 + 12);
  EXPECT_EQ(usage.peak_action, 4U);
}

TEST(SimulateChain, DropsTheInputOfAnAdvanceThatIsHeldNowhere) {
  const ChainUsage usage = simulate_chain(
      three_stages(), {snapshot(0), advance(0, 2), record(2), reverse(2), restore(0), record(0, 0),
                       record(1), reverse(1), reverse(0, 0), discard(0)});

  EXPECT_EQ(usage.time_us, 3 + 4 + 40 + 1 + 2 + 20 + 10);
  // While stage 2 is reversed: the input, the record and the state it began with, both gradients.
  EXPECT_EQ(usage.peak_bytes, 1 + 400 + 4 + 8 + 4);
  EXPECT_EQ(usage.peak_action, 3U);
}

TEST(SimulateChain, CountsTransientBytesWhereTheyAppear) {
  Chain chain = three_stages();
  chain.stages[0].transient_bytes = 5000;
  EXPECT_EQ(simulate_chain(chain, kKeepAll).peak_bytes, 713);
  chain.stages[0].options[0].forward_transient_bytes = 1000;
  // The input, the gradient of the output, the record and the transient.
  EXPECT_EQ(simulate_chain(chain, kKeepAll).peak_bytes, 1 + 8 + 100 + 1000);
  chain.stages[1].options[0].backward_transient_bytes = 3000;
  EXPECT_EQ(simulate_chain(chain, kKeepAll).peak_bytes, 1 + 300 + 4 + 2 + 3000);
  // An advance runs without a record: the input, the output, its own transient, the gradient.
  EXPECT_EQ(simulate_chain(chain, {snapshot(0), advance(0, 2), record(2), reverse(2), restore(0),
                                   record(0, 0), record(1), reverse(1), reverse(0, 0), discard(0)})
                .peak_bytes,
            1 + 2 + 5000 + 8);
}

TEST(SimulateChain, TakesTheOptionThatTheActionNames) {
  Chain chain = three_stages();
  chain.stages[0].options.push_back({.forward_us = 7, .backward_us = 70, .saved_bytes = 2});
  std::vector<Action> actions = kKeepAll;
  actions[1] = record(0, 0, 1);

  EXPECT_EQ(simulate_chain(chain, actions).time_us, 6 + 60 + 77);
  EXPECT_EQ(simulate_chain(chain, actions).peak_bytes, 713 - 98);
  actions[1] = record(0, 0, 2);
  EXPECT_THROW(simulate_chain(chain, actions), std::invalid_argument);
}

TEST(SimulateChain, JudgesSchedulesOfEqualSteps) {
  // Revolve's (10, 3): 15 advances, 10 turns; three states, the record and both gradients.
  Chain chain{.input_bytes = 1, .stages = {}};
  chain.stages.resize(10, {.forward_us = 1,
                           .output_bytes = 1,
                           .options = {{.forward_us = 1, .backward_us = 2, .saved_bytes = 1}}});
  const ChainUsage usage = simulate_chain(chain, revolve_actions(10, 3));

  EXPECT_EQ(usage.time_us, 25 + 20);
  EXPECT_EQ(usage.peak_bytes, 3 + 1 + 1 + 2);
}

TEST(SimulateChain, RejectsActionsThatAreNotValid) {
  EXPECT_THROW(simulate_chain(three_stages(), {}), std::invalid_argument);
  EXPECT_THROW(simulate_chain(three_stages(), {snapshot(0), record(0, 0), record(0, kWork)}),
               std::invalid_argument);
}

TEST(RequireValid, RejectsWhatIsNoChain) {
  Chain chain = three_stages();
  EXPECT_NO_THROW(require_valid(chain, "test"));
  EXPECT_THROW(require_valid({}, "test"), std::invalid_argument);
  chain.input_bytes = std::numeric_limits<std::int64_t>::max() / 2;
  EXPECT_THROW(require_valid(chain, "test"), std::invalid_argument);
  chain = three_stages();
  chain.stages[1].options[0].backward_us = -1;
  EXPECT_THROW(require_valid(chain, "test"), std::invalid_argument);
  chain = three_stages();
  chain.stages[1].options.clear();
  EXPECT_THROW(require_valid(chain, "test"), std::invalid_argument);
  chain = three_stages();
  chain.stages[1].options[0].saved_bytes = 3;
  EXPECT_THROW(require_valid(chain, "test"), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
