// SPDX-License-Identifier: Apache-2.0
// Every model under every policy against the same model without regions.
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/checkpoint.h"
#include "train_step.h"

namespace reprise::zoo {
namespace {

struct Placed {
  std::string model;
  std::string policy;
  std::int64_t regions;
};

std::ostream& operator<<(std::ostream& out, const Placed& placed) {
  return out << placed.model << " " << placed.policy;
}

class PlacedRegions : public testing::TestWithParam<Placed> {
 protected:
  Step plain = train_step(GetParam().model, "none");
  Step placed = train_step(GetParam().model, GetParam().policy);
};

TEST_P(PlacedRegions, GiveTheLossOfPlainTraining) {
  EXPECT_TRUE(bitwise_equal({placed.loss}, {plain.loss}));
}

TEST_P(PlacedRegions, GiveEveryGradientOfPlainTraining) {
  EXPECT_TRUE(bitwise_equal(placed.gradients, plain.gradients));
}

TEST_P(PlacedRegions, LeaveBuffersAndRandomNumbersAsPlainTrainingDoes) {
  EXPECT_TRUE(bitwise_equal(placed.buffers, plain.buffers));
  EXPECT_TRUE(bitwise_equal({placed.next_random}, {plain.next_random}));
}

TEST_P(PlacedRegions, AreAsManyAsThePolicySays) {
  EXPECT_EQ(placed.regions, GetParam().regions);
  EXPECT_EQ(placed.counts.regions, GetParam().regions);
  EXPECT_GT(placed.counts.recomputed_ops, 0);
}

TEST_P(PlacedRegions, FreeBytesAfterForward) { EXPECT_GT(placed.counts.dropped_bytes, 0); }

TEST_P(PlacedRegions, LeaveNoHooksBehind) { EXPECT_EQ(live_hooks(), 0); }

const auto name_of_placed = [](const testing::TestParamInfo<Placed>& info) {
  std::string name = info.param.model + "_" + info.param.policy;
  std::replace(name.begin(), name.end(), '=', '_');
  return name;
};

INSTANTIATE_TEST_SUITE_P(Gpt, PlacedRegions,
                         testing::Values(Placed{"gpt", "block", 4}, Placed{"gpt", "every=2", 1},
                                         Placed{"gpt", "sqrt", 1}, Placed{"gpt", "segments=3", 2},
                                         Placed{"gpt", "bytes=2", 1}, Placed{"gpt", "cost=2", 1},
                                         Placed{"gpt", "attention", 4}, Placed{"gpt", "ffn", 4}),
                         name_of_placed);

INSTANTIATE_TEST_SUITE_P(Lstm, PlacedRegions,
                         testing::Values(Placed{"lstm", "block", 6}, Placed{"lstm", "every=2", 2},
                                         Placed{"lstm", "sqrt", 2}, Placed{"lstm", "segments=4", 3},
                                         Placed{"lstm", "bytes=3", 2}, Placed{"lstm", "cost=2", 1}),
                         name_of_placed);

INSTANTIATE_TEST_SUITE_P(
    Audio, PlacedRegions,
    testing::Values(Placed{"audio", "block", 10}, Placed{"audio", "every=3", 3},
                    Placed{"audio", "sqrt", 3}, Placed{"audio", "segments=5", 4},
                    Placed{"audio", "bytes=3", 2}, Placed{"audio", "cost=3", 2},
                    Placed{"audio", "attention", 2}, Placed{"audio", "ffn", 2}),
    name_of_placed);

INSTANTIATE_TEST_SUITE_P(Cnn, PlacedRegions,
                         testing::Values(Placed{"cnn", "block", 4}, Placed{"cnn", "every=2", 1},
                                         Placed{"cnn", "sqrt", 1}, Placed{"cnn", "segments=3", 2},
                                         Placed{"cnn", "bytes=2", 1}, Placed{"cnn", "cost=2", 1}),
                         name_of_placed);

// every=1 and segments cut at every place: skips cross regions, begin or end in one, or lie inside.
INSTANTIATE_TEST_SUITE_P(Unet, PlacedRegions,
                         testing::Values(Placed{"unet", "block", 5}, Placed{"unet", "every=1", 4},
                                         Placed{"unet", "every=2", 2}, Placed{"unet", "every=3", 1},
                                         Placed{"unet", "every=4", 1}, Placed{"unet", "sqrt", 2},
                                         Placed{"unet", "segments=4", 3},
                                         Placed{"unet", "bytes=2", 1}, Placed{"unet", "cost=2", 1}),
                         name_of_placed);

}  // namespace
}  // namespace reprise::zoo
