// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/format_error.h"

namespace reprise::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// 32 bytes of header, then (4 + 1 + 8 + 2) + (4 + 1 + 8 + 0) bytes of sections.
const Sections kSections = {{"a", std::string("x\0", 2)}, {"b", ""}};

std::string refusal(const std::string& bytes) {
  try {
    unpack_container(bytes, "run.state");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

// How many ways to change one bit, or to cut the end off, are taken for a whole file.
int unseen_bit_flips(const std::string& whole) {
  int unseen = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    unseen += refusal(damaged) == "accepted" ? 1 : 0;
  }
  return unseen;
}

int unseen_cuts(const std::string& whole) {
  int unseen = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    unseen += refusal(whole.substr(0, size)) == "accepted" ? 1 : 0;
  }
  return unseen;
}

TEST(Container, GivesBackWhatWentIn) {
  EXPECT_THAT(unpack_container(pack_container(kSections), "run.state"),
              ElementsAre(Pair("a", std::string("x\0", 2)), Pair("b", "")));
  EXPECT_THAT(unpack_container(pack_container({}), "run.state"), ElementsAre());
}

TEST(Container, HasTheLayoutThatTheDocumentationStates) {
  const std::string bytes = pack_container(kSections);
  EXPECT_EQ(bytes.size(), 32 + 15 + 13);
  EXPECT_EQ(bytes.substr(0, 24), std::string("RPRSTATE\1\0\0\0\2\0\0\0\34\0\0\0\0\0\0\0", 24));
  EXPECT_EQ(bytes.substr(32, 15), std::string("\1\0\0\0a\2\0\0\0\0\0\0\0x\0", 15));
}

TEST(Container, SeesEverySingleChangedBit) {
  EXPECT_EQ(unseen_bit_flips(pack_container(kSections)), 0);
}

TEST(Container, SeesEveryCut) { EXPECT_EQ(unseen_cuts(pack_container(kSections)), 0); }

TEST(Container, SaysWhatIsWrongWithAFile) {
  const std::string whole = pack_container(kSections);
  EXPECT_EQ(refusal(""),
            "run.state: expected a saved run (its first bytes are 'RPRSTATE'), got an empty file");
  EXPECT_EQ(refusal("PK\3\4 a zip archive"),
            "run.state: expected a saved run (its first bytes are 'RPRSTATE'), got a file of "
            "another kind");
  EXPECT_EQ(refusal(whole.substr(0, 20)),
            "run.state: expected a header of 32 bytes, got a file cut after 20");
  EXPECT_EQ(refusal(whole.substr(0, 50)), "run.state: expected 28 bytes after the header, got 18");
  EXPECT_EQ(refusal(whole + "more"), "run.state: expected 28 bytes after the header, got 32");
}

TEST(Container, TellsADamagedHeaderFromDamagedContent) {
  std::string header = pack_container(kSections);
  header[9] = 'x';
  EXPECT_EQ(refusal(header),
            "run.state: expected a header that fits its checksum, got a damaged one");
  std::string content = pack_container(kSections);
  content[40] = 'y';
  EXPECT_EQ(refusal(content),
            "run.state: expected content that fits its checksum, got damaged content");
}

TEST(Container, KnowsItsOwnByTheFirstBytes) {
  EXPECT_TRUE(is_container("RPRSTATE, then nonsense"));
  EXPECT_FALSE(is_container("RPRSTAT"));
}

}  // namespace
}  // namespace reprise::cli
