// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <ostream>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/generate/chain.h"
#include "reprise/plan/generate/random.h"
#include "reprise/plan/generate/resnet.h"
#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/generate/unet.h"
#include "reprise/plan/serialize.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;

struct Kind {
  std::string name;
  std::function<Program(std::int64_t)> make;  // of so many layers
  std::int64_t deep = 0;                      // layers of a program of about 50,000 ops
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class Generated : public testing::TestWithParam<Kind> {};

TEST_P(Generated, IsValidAtEverySmallSizeAndAtFiftyThousandOps) {
  for (std::int64_t layers = 1; layers <= 40; ++layers) {
    SCOPED_TRACE("layers " + std::to_string(layers));
    EXPECT_EQ(find_fault(GetParam().make(layers)), std::nullopt);
  }
  const Program deep = GetParam().make(GetParam().deep);
  EXPECT_EQ(find_fault(deep), std::nullopt);
  EXPECT_GT(deep.ops(), 45000);
}

TEST_P(Generated, IsTheSameEveryTime) {
  EXPECT_EQ(write_program(GetParam().make(9)), write_program(GetParam().make(9)));
}

TEST_P(Generated, HasItsPeakInBackwardAboveWhatNoPlanControls) {
  const Simulation plain = simulate_keep_all(GetParam().make(40));
  const Slot& peak = plain.timeline[static_cast<std::size_t>(plain.peak_slot)];
  EXPECT_GT(peak.kept_bytes, peak.background_bytes);
}

TEST_P(Generated, TakesLongerForBackwardThanForForward) {
  const Program program = GetParam().make(40);
  EXPECT_GT(program.step_us, 2 * program.forward_us);
}

TEST_P(Generated, GrowsWithItsLayers) {
  const Program shallow = GetParam().make(20);
  const Program deep = GetParam().make(40);
  EXPECT_GT(deep.ops(), shallow.ops());
  EXPECT_GT(deep.uses.size(), shallow.uses.size());
  EXPECT_GT(deep.step_us, shallow.step_us);
}

INSTANTIATE_TEST_SUITE_P(
    All, Generated,
    testing::Values(
        Kind{"transformer", [](std::int64_t n) { return generate_transformer({.layers = n}); },
             1850},
        Kind{"resnet", [](std::int64_t n) { return generate_resnet({.layers = n}); }, 7100},
        Kind{"unet", [](std::int64_t n) { return generate_unet({.layers = n}); }, 16600},
        Kind{"chain", [](std::int64_t n) { return generate_chain({.layers = n}); }, 16600}),
    [](const auto& info) { return info.param.name; });

TEST(GenerateChain, OfOneLayerCanBeCountedByHand) {
  const Program program = generate_chain({.layers = 1, .width = 2, .batch = 3});
  // Input, product, bias in place, tanh, squares, mean; 3 x 2 elements of 4 bytes.
  EXPECT_EQ(program.forward_peak_bytes, (std::vector<std::int64_t>{24, 48, 24, 48, 48, 28}));
  EXPECT_EQ(program.resident_bytes, 4);
  ASSERT_EQ(program.uses.size(), 3);
  // The gradient of the squares; those of squares and result; that of the result.
  EXPECT_EQ(program.uses[0].name, "PowBackward0");
  EXPECT_EQ(program.uses[0].background_bytes, (Background{24, 48, 24}));
  EXPECT_EQ(program.uses[1].name, "TanhBackward0");
  EXPECT_EQ(program.uses[1].background_bytes, (Background{24, 48, 24}));
  // Two rows of weights and one of biases, two columns each, stay.
  EXPECT_EQ(program.uses[2].name, "MmBackward0");
  EXPECT_EQ(program.uses[2].background_bytes, (Background{24, 24 + 24 + 24, 24 + 24}));
}

TEST(GenerateTransformer, MakesNoMasksWithoutDropout) {
  const Program program = generate_transformer({.layers = 2, .has_dropout = false});
  EXPECT_THAT(program.recipes, Not(Contains(Field(&Recipe::random, true))));
  EXPECT_THAT(generate_transformer({.layers = 2}).recipes,
              Contains(AllOf(Field(&Recipe::random, true), Field(&Recipe::name, "bernoulli_"))));
}

TEST(GenerateTransformer, LabelsBlocksAndTheirParts) {
  const Program program = generate_transformer({.layers = 2});
  EXPECT_THAT(program.recipes, Contains(Field(&Recipe::label, "blocks.1.attention")));
  EXPECT_THAT(program.uses, Contains(Field(&Use::label, "blocks.0.feed_forward")));
}

TEST(GenerateUnet, KeepsSkipsFromTheWayDownToTheWayUp) {
  const Program program = generate_unet({.layers = 5, .levels = 2});
  // Stem: convolution, norm, relu in place. Its result is read by the last concatenation.
  const Value& skip = program.values[static_cast<std::size_t>(program.recipes[1].outputs[0])];
  EXPECT_EQ(skip.label, "down.0");
  EXPECT_GT(skip.released_at, program.ops() - 8);
}

TEST(GenerateRandom, DependsOnItsSeed) {
  EXPECT_NE(write_program(generate_random({.ops = 20, .seed = 1})),
            write_program(generate_random({.ops = 20, .seed = 2})));
}

TEST(GenerateRandom, HasEverythingThatARecordedProgramMayHave) {
  const Program program = generate_random({.ops = 2000});
  EXPECT_EQ(find_fault(program), std::nullopt);
  EXPECT_EQ(program.ops(), 2000);
  EXPECT_THAT(program.values, Contains(Field(&Value::external, true)));
  EXPECT_THAT(program.values,
              Contains(AllOf(Field(&Value::external, false), Field(&Value::recipe, kNoRecipe))));
  EXPECT_THAT(program.values, Contains(Field(&Value::released_at, program.ops())));
  EXPECT_THAT(program.recipes, Contains(Field(&Recipe::random, true)));
  EXPECT_THAT(program.recipes, Contains(Field(&Recipe::replayable, false)));
  EXPECT_THAT(program.recipes, Contains(Field(&Recipe::outputs, testing::SizeIs(2))));
  EXPECT_THAT(program.recipes, Contains(Field(&Recipe::ops, testing::SizeIs(2))));
}

TEST(GenerateRandom, IsValidForAnySeedAndAtFiftyThousandOps) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(find_fault(
                  generate_random({.ops = 1 + static_cast<std::int64_t>(seed) % 50, .seed = seed})),
              std::nullopt);
  }
  EXPECT_EQ(find_fault(generate_random({.ops = 50000})), std::nullopt);
}

TEST(Generate, RefusesSizesThatNoNumberCouldHold) {
  constexpr std::int64_t kHuge = 1000000;
  EXPECT_THROW(generate_transformer({.width = kHuge, .heads = 1, .context = kHuge}),
               std::invalid_argument);
  EXPECT_THROW(generate_transformer({.heads = 1, .context = kHuge, .batch = kHuge}),
               std::invalid_argument);
  EXPECT_THROW(generate_resnet({.image_size = kHuge, .batch = kHuge}), std::invalid_argument);
  EXPECT_THROW(generate_unet({.levels = 16, .channels = kHuge, .image_size = 65536}),
               std::invalid_argument);
  EXPECT_THROW(generate_chain({.width = kHuge, .batch = std::int64_t{1} << 62}),
               std::invalid_argument);
  // Each tensor is small enough, all together are not.
  EXPECT_THROW(generate_chain({.layers = 100, .width = kHuge, .batch = 100 * kHuge}),
               std::invalid_argument);
}

TEST(Generate, RefusesSizesThatMakeNoSense) {
  EXPECT_THROW(generate_transformer({.layers = 0}), std::invalid_argument);
  EXPECT_THROW(generate_transformer({.width = 10, .heads = 4}), std::invalid_argument);
  EXPECT_THROW(generate_resnet({.channels = 0}), std::invalid_argument);
  EXPECT_THROW(generate_unet({.levels = 17}), std::invalid_argument);
  EXPECT_THROW(generate_unet({.levels = 3, .image_size = 12}), std::invalid_argument);
  EXPECT_THROW(generate_chain({.batch = -1}), std::invalid_argument);
  EXPECT_THROW(generate_random({.ops = 0}), std::invalid_argument);
  EXPECT_THROW(generate_random({.most_bytes = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
