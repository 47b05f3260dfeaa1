// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/read_blocks.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/format_error.h"
#include "temporary_folder.h"

namespace reprise::zoo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kMib = std::size_t{1} << 20U;

std::vector<std::string> blocks_of(const std::string& path) {
  std::vector<std::string> blocks;
  read_blocks(path, [&blocks](std::string_view block) { blocks.emplace_back(block); });
  return blocks;
}

TEST(ReadBlocks, GivesASmallFileAtOnce) {
  const TemporaryFolder folder;
  EXPECT_THAT(blocks_of(folder.file("f", std::string("a\0b", 3))),
              ElementsAre(std::string("a\0b", 3)));
}

TEST(ReadBlocks, GivesABigFileInOrder) {
  const TemporaryFolder folder;
  const std::string first(kMib, 'a');
  EXPECT_THAT(blocks_of(folder.file("f", first + "the rest")), ElementsAre(first, "the rest"));
}

TEST(ReadBlocks, GivesNoEmptyBlock) {
  const TemporaryFolder folder;
  EXPECT_THAT(blocks_of(folder.file("f", std::string())), IsEmpty());
  EXPECT_THAT(blocks_of(folder.file("f", std::string(kMib, 'a'))),
              ElementsAre(std::string(kMib, 'a')));
}

TEST(ReadBlocks, NamesWhatCannotBeRead) {
  EXPECT_EQ(message_of([] { blocks_of("/no/such/file"); }),
            "/no/such/file: cannot be read: No such file or directory");
  EXPECT_EQ(message_of([] { blocks_of("/"); }), "/: cannot be read: Is a directory");
  EXPECT_THROW(blocks_of("/"), FormatError);
}

}  // namespace
}  // namespace reprise::zoo
