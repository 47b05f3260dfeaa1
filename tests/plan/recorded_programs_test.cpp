// SPDX-License-Identifier: Apache-2.0
// What is known of recorded steps, and of toys small enough to count by hand.
#include "tests/plan/recorded_programs.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reprise/plan/hash.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {
namespace {

using testing::IsEmpty;

struct Expected {
  std::string name;
  std::int64_t peak_bytes = 0;  // with every value kept
  std::int64_t peak_slot = 0;
  std::int64_t floor_bytes = 0;
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.name; }

class RecordedProgram : public testing::TestWithParam<Expected> {};

TEST_P(RecordedProgram, HasTheExpectedPeakWithEveryValueKept) {
  const Simulation plain = simulate_keep_all(recorded_program(GetParam().name));
  EXPECT_EQ(plain.peak_bytes, GetParam().peak_bytes);
  EXPECT_EQ(plain.peak_slot, GetParam().peak_slot);
  EXPECT_EQ(plain.recompute_us, 0);
}

TEST_P(RecordedProgram, HasTheExpectedFloor) {
  EXPECT_EQ(peak_floor(recorded_program(GetParam().name)).bytes, GetParam().floor_bytes);
}

TEST_P(RecordedProgram, IsTheSameOnceWrittenAndRead) {
  const Program program = recorded_program(GetParam().name);
  const std::string json = write_program(program);
  const Program again = read_program(json, "again");
  EXPECT_EQ(write_program(again), json);
  EXPECT_EQ(program_hash(again), program_hash(program));
}

TEST_P(RecordedProgram, HasARecipeForEachNeededValueThatIsNotAlwaysThere) {
  const Program program = recorded_program(GetParam().name);
  std::vector<int> lost;
  for (const Use& use : program.uses) {
    std::copy_if(use.needs.begin(), use.needs.end(), std::back_inserter(lost), [&](int id) {
      const Value& value = program.values[static_cast<std::size_t>(id)];
      return program.is_counted(value) && value.recipe == kNoRecipe;
    });
  }
  EXPECT_THAT(lost, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, RecordedProgram,
                         testing::Values(Expected{"gpt6", 194176904, 204, 33982344},
                                         Expected{"resnet50", 113906072, 328, 27035032},
                                         Expected{"unet", 52902544, 121, 19565008},
                                         Expected{"lstm300", 72704520, 3794, 3875336},
                                         Expected{"gpt24", 305697288, 798, 80887304}),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(OfOtherKinds, RecordedProgram,
                         testing::Values(Expected{"other/densenet", 383255136, 302, 68212128},
                                         Expected{"other/gru_attention", 26524064, 1259, 6419096},
                                         Expected{"other/encoder_decoder", 127846504, 345,
                                                  15204880},
                                         Expected{"other/feature_pyramid", 54130008, 207, 22737920},
                                         Expected{"other/audio_encoder", 56497832, 116, 18615336},
                                         Expected{"other/state_space", 16243720, 703, 1819348}),
                         [](const auto& info) { return info.param.name.substr(6); });

TEST(DeepGpt, OfAThousandAndAHalfHasTheExpectedPeak) {
  const Program program = deep_gpt(1500);
  EXPECT_EQ(program.ops(), 49502);
  EXPECT_EQ(program.step_us, 63801900);
  EXPECT_EQ(program.forward_us, 23307100);
  EXPECT_EQ(simulate_keep_all(program).peak_bytes, 18890166792);
  EXPECT_EQ(program_hash(program),
            "1c3e5724bd348cab4b0aa7a55b9b4db0d089b593d3aa0434dd1ace4340fe7d36");
}

TEST(DeepGpt, OfAHundredAndFiftyHasTheExpectedPeak) {
  const Program program = deep_gpt(150);
  EXPECT_EQ(program.ops(), 4952);
  EXPECT_EQ(simulate_keep_all(program).peak_bytes, 1892176392);
  EXPECT_EQ(program_hash(program),
            "bca3628f6424026b19e1730424fbe93ffbcd994b2e1e631486209c18a8559dc2");
}

// One schedule of a toy with what it must cost.
struct ToySchedule {
  std::string name;
  Program program;
  Schedule schedule;
  std::int64_t peak_bytes = 0;
  double recompute_us = 0;
  std::int64_t floor_bytes = 0;
};

void PrintTo(const ToySchedule& toy, std::ostream* out) { *out << toy.name; }

std::vector<ToySchedule> toy_schedules() {
  std::vector<ToySchedule> toys;
  const auto document = nlohmann::json::parse(data_json("toys"));
  for (const auto& toy : document.at("toys")) {
    const Program program = read_program(toy.at("program").dump(), "toys");
    for (const auto& expected : toy.at("schedules")) {
      Schedule schedule;
      for (const auto& replays : expected.at("replays")) {
        schedule.replays.push_back({replays.at("before_use"), replays.at("recipes")});
      }
      toys.push_back({program.name + "_" + std::to_string(toys.size()), program, schedule,
                      expected.at("peak_bytes"), expected.at("recompute_us"),
                      toy.at("floor_bytes")});
    }
  }
  return toys;
}

class Toy : public testing::TestWithParam<ToySchedule> {};

TEST_P(Toy, CostsWhatWasCountedByHand) {
  const Simulation result = simulate(GetParam().program, GetParam().schedule);
  EXPECT_EQ(result.peak_bytes, GetParam().peak_bytes);
  EXPECT_EQ(result.recompute_us, GetParam().recompute_us);
  EXPECT_EQ(peak_floor(GetParam().program).bytes, GetParam().floor_bytes);
}

INSTANTIATE_TEST_SUITE_P(All, Toy, testing::ValuesIn(toy_schedules()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace reprise::plan
