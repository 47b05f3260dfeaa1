// SPDX-License-Identifier: Apache-2.0
// What the program says about itself, against golden files. After a change of the option table:
//   reprise --help > tests/cli/golden/help.txt, and so on; reprise options > docs/command_line.md
#include "reprise/cli/help.h"

#include <sstream>

#include <gtest/gtest.h>

#include "reprise/cli/command_line.h"
#include "reprise/cli/estimate_command.h"
#include "reprise/cli/file_bytes.h"
#include "reprise/cli/options.h"

namespace reprise::cli {
namespace {

std::string source_file(const std::string& name) {
  return read_file(std::string(REPRISE_SOURCE_DIR) + "/" + name);
}

std::string estimate_output(std::vector<std::string> words) {
  words.insert(words.begin(), "estimate");
  std::ostringstream out;
  std::ostringstream err;
  run_estimate(*parse_command_line(command_table(), words).values, out, err);
  return out.str();
}

TEST(Help, OfTheProgramIsTheGoldenFile) {
  EXPECT_EQ(program_help(command_table()), source_file("tests/cli/golden/help.txt"));
}

TEST(Help, OfTrainIsTheGoldenFile) {
  EXPECT_EQ(command_help(command_table(), "train"), source_file("tests/cli/golden/train_help.txt"));
}

TEST(Help, OfEstimateIsTheGoldenFile) {
  EXPECT_EQ(command_help(command_table(), "estimate"),
            source_file("tests/cli/golden/estimate_help.txt"));
}

TEST(Help, AsMarkdownIsTheDocumentation) {
  EXPECT_EQ(markdown_help(command_table()), source_file("docs/command_line.md"));
}

TEST(Estimate, OfAPresetIsTheGoldenFile) {
  EXPECT_EQ(estimate_output({"--preset", "gpt3-175b"}),
            source_file("tests/cli/golden/estimate_gpt3_175b.txt"));
}

TEST(Estimate, AsJsonIsTheGoldenFile) {
  EXPECT_EQ(estimate_output({"--preset", "gpt-22b", "--sequence-parallel", "--json", "-"}),
            source_file("tests/cli/golden/estimate_gpt_22b.json"));
}

}  // namespace
}  // namespace reprise::cli
