// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/serialize.h"

#include <limits>
#include <sstream>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/format_error.h"
#include "reprise/plan/generate/random.h"
#include "reprise/plan/hash.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::plan {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Lt;
using testing::SizeIs;
using testing::StartsWith;

const std::string kChain =
    "{\n"
    " \"format\":\"reprise.program\",\n"
    " \"version\":1,\n"
    " \"name\":\"chain3\",\n"
    " \"device\":\"cpu\",\n"
    " \"step_us\":180,\n"
    " \"forward_us\":60,\n"
    " \"resident_bytes\":0,\n"
    " \"forward_peak_bytes\":[200,200,200],\n"
    " \"values\":[\n"
    "  {\"id\":0,\"bytes\":0,\"external\":true},\n"
    "  {\"id\":1,\"bytes\":100,\"made_at\":0,\"released_at\":1,\"recipe\":0},\n"
    "  {\"id\":2,\"bytes\":100,\"made_at\":1,\"released_at\":2,\"recipe\":1},\n"
    "  {\"id\":3,\"bytes\":100,\"made_at\":2,\"released_at\":2,\"recipe\":2}\n"
    " ],\n"
    " \"recipes\":[\n"
    "  {\"id\":0,\"name\":\"a\",\"cost_us\":10,\"transient_bytes\":100,\"ops\":[0],"
    "\"inputs\":[0],\"outputs\":[1]},\n"
    "  {\"id\":1,\"name\":\"b\",\"cost_us\":20,\"transient_bytes\":100,\"ops\":[1],"
    "\"inputs\":[1],\"outputs\":[2]},\n"
    "  {\"id\":2,\"name\":\"c\",\"cost_us\":30,\"transient_bytes\":100,\"ops\":[2],"
    "\"inputs\":[2],\"outputs\":[3]}\n"
    " ],\n"
    " \"uses\":[\n"
    "  {\"name\":\"C\",\"cost_us\":60,\"background_bytes\":[0,100,50],\"needs\":[3]},\n"
    "  {\"name\":\"B\",\"cost_us\":40,\"background_bytes\":[50,150,50],\"needs\":[2]},\n"
    "  {\"name\":\"A\",\"cost_us\":20,\"background_bytes\":[50,150,50],\"needs\":[1]}\n"
    " ]\n"
    "}\n";

const std::string kSchedule =
    "{\n"
    " \"format\":\"reprise.schedule\",\n"
    " \"version\":1,\n"
    " \"program\":\"\",\n"
    " \"planner\":\"search\",\n"
    " \"budget_bytes\":300,\n"
    " \"predicted\":{\"peak_bytes\":250,\"recompute_us\":40.5},\n"
    " \"replays\":[\n"
    "  {\"before_use\":1,\"recipes\":[0,1]},\n"
    "  {\"before_use\":2,\"recipes\":[0]}\n"
    " ]\n"
    "}\n";

// `text` with the first `old_part` replaced; the test is wrong if it has none.
std::string with(std::string text, const std::string& old_part, const std::string& new_part) {
  const std::size_t at = text.find(old_part);
  if (at == std::string::npos) {
    throw std::logic_error("no " + old_part);
  }
  return text.replace(at, old_part.size(), new_part);
}

std::string program_refusal(const std::string& json) {
  try {
    read_program(json, "p.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal_with(const std::string& old_part, const std::string& new_part) {
  return program_refusal(with(kChain, old_part, new_part));
}

std::string schedule_refusal(const std::string& old_part, const std::string& new_part) {
  try {
    read_schedule(with(kSchedule, old_part, new_part), "s.json", chain_of_three());
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(WriteProgram, WritesOneLinePerItem) { EXPECT_EQ(write_program(chain_of_three()), kChain); }

TEST(WriteProgram, WritesWhatIsOptionalOnlyWhereItSaysSomething) {
  Program program = chain_of_three();
  program.values[1].label = "blocks.0 \"q\"\n";
  program.values[1].shape = {5, 5};
  program.values[1].dtype = "float";
  program.recipes[0].random = true;
  program.recipes[0].replayable = false;
  program.recipes[0].label = "r";
  program.uses[0].label = "u";
  program.replay_overhead_us = 0.25;
  program.use_overhead_us = 1e-7;
  const std::string json = write_program(program);
  EXPECT_THAT(json, HasSubstr("\"recipe\":0,\"label\":\"blocks.0 \\\"q\\\"\\n\",\"shape\":[5,5],"
                              "\"dtype\":\"float\"}"));
  EXPECT_THAT(json, HasSubstr("\"random\":true,\"replayable\":false,\"label\":\"r\"}"));
  EXPECT_THAT(json, HasSubstr("\"needs\":[3],\"label\":\"u\"}"));
  EXPECT_THAT(json, HasSubstr("\"replay_overhead_us\":0.25,\n \"use_overhead_us\":1e-07"));
  const Program again = read_program(json, "p.json");
  EXPECT_EQ(again.values[1].label, "blocks.0 \"q\"\n");
  EXPECT_EQ(again.values[1].shape, (std::vector<std::int64_t>{5, 5}));
  EXPECT_EQ(again.values[1].dtype, "float");
  EXPECT_TRUE(again.recipes[0].random);
  EXPECT_FALSE(again.recipes[0].replayable);
  EXPECT_EQ(again.recipes[0].label, "r");
  EXPECT_EQ(again.uses[0].label, "u");
  EXPECT_EQ(again.replay_overhead_us, 0.25);
  EXPECT_EQ(again.use_overhead_us, 1e-7);
}

TEST(WriteProgram, RefusesAProgramWithAFault) {
  Program program = chain_of_three();
  program.step_us = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_program(program), std::invalid_argument);
}

TEST(WriteProgram, KeepsEveryBitOfADouble) {
  Program program = chain_of_three();
  program.step_us = 0.1 + 0.2;
  program.forward_us = std::numeric_limits<double>::denorm_min();
  program.recipes[0].cost_us = 0.1 + 0.7;
  program.recipes[1].cost_us = 123456789012345678.0;
  program.recipes[2].cost_us = 87654321098765432.0;
  const Program again = read_program(write_program(program), "p.json");
  EXPECT_EQ(again.step_us, 0.1 + 0.2);
  EXPECT_EQ(again.forward_us, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(again.recipes[0].cost_us, 0.1 + 0.7);
  EXPECT_EQ(again.recipes[1].cost_us, 123456789012345678.0);
  EXPECT_EQ(again.recipes[2].cost_us, 87654321098765432.0);
}

TEST(WriteProgram, OfANegativeZeroIsAZero) {
  Program program = chain_of_three();
  program.step_us = -0.0;
  EXPECT_THAT(write_program(program), HasSubstr("\"step_us\":0,"));
}

TEST(ReadProgram, GivesBackWhatWasWritten) {
  EXPECT_EQ(write_program(read_program(kChain, "p.json")), kChain);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Program program = generate_random({.ops = 30, .seed = seed});
    const std::string json = write_program(program);
    const Program again = read_program(json, "p.json");
    EXPECT_EQ(write_program(again), json);
    EXPECT_EQ(program_hash(again), program_hash(program));
  }
}

TEST(ReadProgram, ReadsAStreamToo) {
  std::istringstream in(kChain);
  EXPECT_EQ(write_program(read_program(in, "p.json")), kChain);
}

TEST(ReadProgram, PassesOverFieldsThatItDoesNotKnow) {
  const std::string json =
      with(with(kChain, "\"name\":\"chain3\"", "\"tiers\":[{\"a\":null}],\"name\":\"chain3\""),
           "\"id\":2,", "\"id\":2,\"later\":1.5,");
  EXPECT_EQ(write_program(read_program(json, "p.json")), kChain);
}

TEST(ReadProgram, TakesANumberWithoutAFractionAsATime) {
  EXPECT_EQ(read_program(with(kChain, "\"step_us\":180", "\"step_us\":1.8e2"), "p").step_us, 180);
}

TEST(ReadProgram, RefusesWhatIsNoJson) {
  EXPECT_THAT(program_refusal(""), StartsWith("p.json: expected JSON; "));
  EXPECT_THAT(program_refusal("{\"format\":"), HasSubstr("unexpected end of input"));
  EXPECT_THAT(program_refusal(kChain + "x"), StartsWith("p.json: expected JSON; "));
  EXPECT_THAT(program_refusal(kChain + "{}"), StartsWith("p.json: expected JSON; "));
  EXPECT_THAT(refusal_with("180", "NaN"), StartsWith("p.json: expected JSON; "));
  EXPECT_THAT(refusal_with("180", "-Infinity"), StartsWith("p.json: expected JSON; "));
  EXPECT_THAT(refusal_with("chain3", "\xFF"), StartsWith("p.json: expected JSON; "));
}

TEST(ReadProgram, RefusesANumberThatIsTooLargeWithItsPlace) {
  EXPECT_EQ(refusal_with("180", "1e999"),
            "p.json: expected JSON; parse error at line 6, column 16: number overflow parsing "
            "'1e999'");
}

TEST(ReadProgram, RefusesAZeroByteAnywhere) {
  const std::string zero(1, '\0');
  EXPECT_THAT(program_refusal(kChain + zero + "garbage"),
              AllOf(StartsWith("p.json: expected JSON; parse error at line "),
                    EndsWith(", column 1: a zero byte")));
  EXPECT_EQ(program_refusal(zero + kChain),
            "p.json: expected JSON; parse error at line 1, column 1: a zero byte");
  EXPECT_EQ(refusal_with("chain3", "a" + zero + "b"),
            "p.json: expected JSON; parse error at line 4, column 11: a zero byte");
  EXPECT_EQ(schedule_refusal("]\n}\n", "]\n}" + zero + "{}"),
            "s.json: expected JSON; parse error at line 12, column 2: a zero byte");
}

TEST(ReadProgram, RefusesInOneLine) {
  EXPECT_THAT(refusal_with("180", "\n\nNaN"), testing::Not(HasSubstr("\n")));
  EXPECT_THAT(refusal_with("\"id\":3", "\"\\u000a\":1,\"\\u000a\":2"),
              testing::Not(HasSubstr("\n")));
}

TEST(ReadProgram, RefusesInAShortLineWhateverTheFileSays) {
  const std::string word(100'000, 'w');
  const std::string field = "\"" + word + "\":";
  EXPECT_THAT(program_refusal("{\"format\":" + word), SizeIs(Lt(200)));
  EXPECT_THAT(program_refusal("{\"format\":1" + std::string(100'000, '0') + "}"), SizeIs(Lt(200)));
  EXPECT_THAT(program_refusal("{\"format\":\"" + word + "\"}"), SizeIs(Lt(200)));
  EXPECT_THAT(program_refusal("{" + field + "1," + field + "2}"), SizeIs(Lt(200)));
  EXPECT_THAT(program_refusal("{" + field + "{\"a\":1,\"a\":2}}"), SizeIs(Lt(200)));
  EXPECT_THAT(schedule_refusal("\"program\":\"\"", "\"program\":\"" + word + "\""),
              SizeIs(Lt(350)));
}

TEST(ReadProgram, RefusesEndlessNesting) {
  const std::string deep(100000, '[');
  EXPECT_THAT(program_refusal(deep),
              AllOf(StartsWith("p.json: [0][0][0]"),
                    EndsWith("...: expected at most 200 levels of objects and lists, got more")));
  EXPECT_THAT(program_refusal("{\"a\":[7,{\"b\":" + deep), StartsWith("p.json: a[1].b[0][0]"));
}

TEST(ReadProgram, RefusesARootThatIsNoObject) {
  EXPECT_EQ(program_refusal("[]"), "p.json: expected an object, got a list");
  EXPECT_EQ(program_refusal("7"), "p.json: expected an object, got 7");
}

TEST(ReadProgram, RefusesAnotherFormatOrVersion) {
  EXPECT_EQ(refusal_with("reprise.program", "reprise.schedule"),
            "p.json: format: expected \"reprise.program\", got \"reprise.schedule\"");
  EXPECT_EQ(refusal_with("\"version\":1", "\"version\":2"),
            "p.json: version: expected version 1, got 2");
  EXPECT_EQ(program_refusal("{}"), "p.json: format: expected a field of this name, got none");
}

TEST(ReadProgram, RefusesAFieldThatIsGivenTwice) {
  EXPECT_EQ(refusal_with("\"id\":3,", "\"id\":3,\"bytes\":1,"),
            "p.json: values[3].bytes: expected a field of this name once, got it twice");
  EXPECT_EQ(refusal_with("\"name\":\"chain3\"", "\"name\":\"\",\"name\":\"\""),
            "p.json: name: expected a field of this name once, got it twice");
  EXPECT_EQ(schedule_refusal("\"peak_bytes\":250", "\"peak_bytes\":250,\"peak_bytes\":250"),
            "s.json: predicted.peak_bytes: expected a field of this name once, got it twice");
}

TEST(ReadProgram, RefusesAMissingField) {
  EXPECT_EQ(refusal_with("\"id\":3,\"bytes\":100,", "\"id\":3,"),
            "p.json: values[3].bytes: expected a field of this name, got none");
  EXPECT_EQ(refusal_with(",\"released_at\":1,\"recipe\":0", ",\"released_at\":1"),
            "p.json: values[1].recipe: expected a field of this name, got none");
  EXPECT_EQ(refusal_with("\"transient_bytes\":100,", ""),
            "p.json: recipes[0].transient_bytes: expected a field of this name, got none");
  EXPECT_EQ(refusal_with(",\"needs\":[2]", ""),
            "p.json: uses[1].needs: expected a field of this name, got none");
  EXPECT_EQ(refusal_with(" \"device\":\"cpu\",\n", ""),
            "p.json: device: expected a field of this name, got none");
}

TEST(ReadProgram, RefusesAFieldOfAnotherType) {
  EXPECT_EQ(refusal_with("\"id\":3,\"bytes\":100", "\"id\":3,\"bytes\":\"100\""),
            "p.json: values[3].bytes: expected an integer >= 0, got \"100\"");
  EXPECT_EQ(refusal_with("\"id\":3,\"bytes\":100", "\"id\":3,\"bytes\":100.5"),
            "p.json: values[3].bytes: expected an integer >= 0, got 100.5");
  EXPECT_EQ(refusal_with("\"id\":3,\"bytes\":100", "\"id\":3,\"bytes\":1e2"),
            "p.json: values[3].bytes: expected an integer >= 0, got 100.0");
  EXPECT_EQ(refusal_with("\"external\":true", "\"external\":1"),
            "p.json: values[0].external: expected true or false, got 1");
  EXPECT_EQ(refusal_with("\"name\":\"b\"", "\"name\":null"),
            "p.json: recipes[1].name: expected text, got null");
  EXPECT_EQ(refusal_with("\"step_us\":180", "\"step_us\":true"),
            "p.json: step_us: expected a number >= 0, got true");
  EXPECT_EQ(refusal_with("\"inputs\":[2]", "\"inputs\":{}"),
            "p.json: recipes[2].inputs: expected a list, got an object");
  EXPECT_EQ(refusal_with("[0,100,50]", "[0,100]"),
            "p.json: uses[0].background_bytes: expected 3 numbers (while replaying before it, "
            "while it runs, after it), got 2");
  EXPECT_EQ(program_refusal("{\"format\":\"reprise.program\",\"version\":1,\"name\":\"\","
                            "\"device\":\"\",\"step_us\":0,\"forward_us\":0,\"resident_bytes\":0,"
                            "\"forward_peak_bytes\":[],\"values\":[7]}"),
            "p.json: values[0]: expected an object, got 7");
}

TEST(ReadProgram, RefusesANumberThatIsOutOfRange) {
  EXPECT_EQ(refusal_with("\"id\":3,\"bytes\":100", "\"id\":3,\"bytes\":-1"),
            "p.json: values[3].bytes: expected an integer >= 0, got -1");
  EXPECT_EQ(refusal_with("\"id\":3,\"bytes\":100", "\"id\":3,\"bytes\":9223372036854775808"),
            "p.json: values[3].bytes: expected an integer >= 0, got 9223372036854775808");
  EXPECT_EQ(refusal_with("\"id\":3,\"bytes\":100", "\"id\":3,\"bytes\":99999999999999999999"),
            "p.json: values[3].bytes: expected an integer >= 0, got 1e+20");
  EXPECT_EQ(refusal_with("\"cost_us\":20", "\"cost_us\":-20"),
            "p.json: recipes[1].cost_us: expected a number >= 0, got -20");
  EXPECT_EQ(refusal_with("\"needs\":[3]", "\"needs\":[4294967299]"),
            "p.json: uses[0].needs[0]: expected an integer in [0, 2147483647], got 4294967299");
}

TEST(ReadProgram, RefusesAnIdThatIsNotThePosition) {
  EXPECT_EQ(refusal_with("{\"id\":2,\"bytes\"", "{\"id\":3,\"bytes\""),
            "p.json: values[2].id: expected 2, the position in the list, got 3");
  EXPECT_EQ(refusal_with("{\"id\":2,\"name\"", "{\"id\":0,\"name\""),
            "p.json: recipes[2].id: expected 2, the position in the list, got 0");
}

TEST(ReadProgram, RefusesAProgramWithAFault) {
  EXPECT_EQ(refusal_with("\"needs\":[3]", "\"needs\":[4]"),
            "p.json: uses[0].needs[0]: must be one of the 4 values, got 4");
  EXPECT_EQ(refusal_with("\"inputs\":[0]", "\"inputs\":[3]"),
            "p.json: recipes[0].inputs: depends on its own output through other recipes");
  EXPECT_EQ(refusal_with("\"external\":true", "\"external\":true,\"recipe\":0"),
            "p.json: values[0].recipe: an external value has none, got 0");
}

TEST(WriteSchedule, WritesOneLinePerUse) {
  Schedule schedule;
  schedule.planner = "search";
  schedule.budget_bytes = 300;
  schedule.predicted_peak_bytes = 250;
  schedule.predicted_recompute_us = 40.5;
  schedule.replays = {{1, {0, 1}}, {2, {0}}};
  EXPECT_EQ(write_schedule(schedule), kSchedule);
  EXPECT_EQ(read_schedule(kSchedule, "s.json"), schedule);
  EXPECT_EQ(read_schedule(write_schedule({}), "s.json"), Schedule{});
}

TEST(WriteSchedule, RefusesNumbersThatCouldNotBeReadAgain) {
  Schedule schedule;
  schedule.predicted_recompute_us = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_schedule(schedule), std::invalid_argument);
  schedule.predicted_recompute_us = 0;
  schedule.budget_bytes = -1;
  EXPECT_THROW(write_schedule(schedule), std::invalid_argument);
}

TEST(ReadSchedule, ReadsAStreamToo) {
  std::istringstream in(kSchedule);
  EXPECT_EQ(write_schedule(read_schedule(in, "s.json")), kSchedule);
}

TEST(ReadSchedule, RefusesWhatIsNoSchedule) {
  EXPECT_EQ(schedule_refusal("reprise.schedule", "reprise.program"),
            "s.json: format: expected \"reprise.schedule\", got \"reprise.program\"");
  EXPECT_EQ(schedule_refusal("\"version\":1", "\"version\":0"),
            "s.json: version: expected version 1, got 0");
  EXPECT_EQ(schedule_refusal("\"budget_bytes\":300", "\"budget_bytes\":-3"),
            "s.json: budget_bytes: expected an integer >= 0, got -3");
  EXPECT_EQ(schedule_refusal("\"peak_bytes\":250,", ""),
            "s.json: predicted.peak_bytes: expected a field of this name, got none");
  EXPECT_EQ(schedule_refusal("\"before_use\":1", "\"before_use\":-1"),
            "s.json: replays[0].before_use: expected an integer in [0, 2147483647], got -1");
  EXPECT_EQ(schedule_refusal("\"before_use\":2", "\"before_use\":1"),
            "s.json: replays[1].before_use: expected a use after 1, the one before, got 1");
  EXPECT_EQ(schedule_refusal("[0,1]", "[]"),
            "s.json: replays[0].recipes: expected at least one recipe, got none");
}

TEST(ReadSchedule, RefusesAScheduleOfAnotherProgram) {
  EXPECT_EQ(schedule_refusal("[0,1]", "[0,3]"),
            "s.json: replays[0].recipes[1]: must be one of the 3 recipes, got 3");
  EXPECT_EQ(schedule_refusal("\"before_use\":2", "\"before_use\":3"),
            "s.json: replays[1].before_use: must be one of the 3 uses, got 3");
  EXPECT_THAT(schedule_refusal("\"program\":\"\"", "\"program\":\"00\""),
              HasSubstr("this program's hash, got 00"));
}

}  // namespace
}  // namespace reprise::plan
