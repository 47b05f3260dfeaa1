// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/estimate_command.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reprise/cli/command_line.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/options.h"

namespace reprise::cli {
namespace {

using testing::HasSubstr;

struct Output {
  std::string out;
  std::string err;
};

Output run(std::vector<std::string> words) {
  words.insert(words.begin(), "estimate");
  std::ostringstream out;
  std::ostringstream err;
  run_estimate(*parse_command_line(command_table(), words).values, out, err);
  return {out.str(), err.str()};
}

nlohmann::json estimates(std::vector<std::string> words) {
  words.insert(words.end(), {"--json", "-"});
  return nlohmann::json::parse(run(words).out)["estimates"];
}

// s = 4, b = 2, h = 8, a = 2: sbh = 64 and 5as/h = 5.
const std::vector<std::string> kSmall = {"--layers", "3",         "--dim", "8",       "--heads",
                                         "2",        "--context", "4",     "--batch", "2"};

std::vector<std::string> small_with(std::vector<std::string> more) {
  more.insert(more.begin(), kSmall.begin(), kSmall.end());
  return more;
}

TEST(Estimate, FollowsTheFormulasOfALayer) {
  const auto all = estimates(small_with({"--attention", "written"}));
  EXPECT_EQ(all[0]["recompute"], "none");
  EXPECT_EQ(all[0]["layer_bytes"], 64 * (34 + 5));
  EXPECT_EQ(all[1]["recompute"], "selective");
  EXPECT_EQ(all[1]["layer_bytes"], 64 * 34);
  EXPECT_EQ(all[2]["recompute"], "full");
  EXPECT_EQ(all[2]["layer_bytes"], 64 * 2);
}

TEST(Estimate, ShowsOnlyWhatIsAskedFor) {
  const auto one = estimates(small_with({"--attention", "fused", "--recompute", "full"}));
  EXPECT_EQ(one.size(), 1);
  EXPECT_EQ(one[0]["attention"], "fused");
}

TEST(Estimate, SplitsALayerOverTensorParallelRanks) {
  const auto all = estimates(
      small_with({"--tensor-parallel", "2", "--attention", "written", "--recompute", "none"}));
  EXPECT_EQ(all[0]["layer_bytes"], 64 * 10 + 64 * (24 + 5) / 2);
}

TEST(Estimate, TakesAnOptionBeforeThePreset) {
  const auto json =
      nlohmann::json::parse(run({"--preset", "gpt3-175b", "--context", "1024", "--json", "-"}).out);
  EXPECT_EQ(json["preset"], "gpt3-175b");
  EXPECT_EQ(json["transformer"]["hidden"], 12288);
  EXPECT_EQ(json["transformer"]["sequence"], 1024);
}

TEST(Estimate, CountsFloatAdamWInFourBytesEach) {
  const auto one = estimates(small_with({"--precision", "float"}))[0];
  EXPECT_EQ(one["weight_bytes"], 4 * one["parameters"].get<std::int64_t>());
  EXPECT_EQ(one["gradient_bytes"], 4 * one["parameters"].get<std::int64_t>());
  EXPECT_EQ(one["optimizer_bytes"], 8 * one["parameters"].get<std::int64_t>());
}

TEST(Estimate, SendsTheTableToStandardErrorWhenJsonTakesStandardOutput) {
  const Output output = run({"--json", "-"});
  EXPECT_TRUE(nlohmann::json::accept(output.out));
  EXPECT_THAT(output.err, HasSubstr("brought back"));
}

TEST(Estimate, RefusesSizesThatDoNotFitTogether) {
  EXPECT_THROW(run({"--heads", "7", "--dim", "64"}), UsageError);
}

}  // namespace
}  // namespace reprise::cli
