// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/file_bytes.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/cli/checksum.h"
#include "reprise/cli/errors.h"
#include "reprise/plan/format_error.h"

namespace reprise::cli {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, removed afterwards.
class FileBytes : public testing::Test {
 protected:
  FileBytes() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FileBytes() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::ptrdiff_t file_count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

 private:
  fs::path folder_ = fs::path(testing::TempDir()) /
                     (std::string("reprise_file_bytes_") +
                      testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(FileBytes, WritesANewFileAndLeavesNothingElseBehind) {
  replace_file(path("new"), std::string("a\0b", 3));
  EXPECT_EQ(read_file(path("new")), std::string("a\0b", 3));
  EXPECT_EQ(file_count(), 1);
}

TEST_F(FileBytes, ReplacesAFileAndKeepsItsRights) {
  replace_file(path("old"), "long content");
  fs::permissions(path("old"), fs::perms::owner_read | fs::perms::owner_write);
  replace_file(path("old"), "new");
  EXPECT_EQ(read_file(path("old")), "new");
  EXPECT_EQ(fs::status(path("old")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(file_count(), 1);
}

TEST_F(FileBytes, ReplacesTheTargetOfALinkAndKeepsTheLink) {
  replace_file(path("target"), "old");
  fs::create_symlink("target", path("link"));
  replace_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("target")), "new");
}

TEST_F(FileBytes, RefusesAFolderThatDoesNotExist) {
  EXPECT_THROW(replace_file(path("missing/file"), "x"), FileError);
  EXPECT_THROW(check_replaceable(path("missing/file")), FileError);
}

TEST_F(FileBytes, RefusesAFolderInPlaceOfAFile) {
  fs::create_directory(path("folder"));
  EXPECT_THROW(replace_file(path("folder"), "x"), FileError);
  EXPECT_THROW(check_replaceable(path("folder")), FileError);
  EXPECT_THROW(read_file(path("folder")), FormatError);
  EXPECT_EQ(file_count(), 1);
}

TEST_F(FileBytes, WritesADeviceWithoutPuttingAFileInItsPlace) {
  fs::create_symlink("/dev/null", path("sink"));
  check_replaceable(path("sink"));
  replace_file(path("sink"), "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(file_count(), 1);
}

TEST_F(FileBytes, ChecksWithoutATrace) {
  check_replaceable(path("later"));
  EXPECT_EQ(file_count(), 0);
}

TEST_F(FileBytes, NamesTheFileThatIsNotThere) {
  try {
    read_file(path("nowhere"));
    FAIL() << "read a file that does not exist";
  } catch (const FormatError& error) {
    EXPECT_EQ(error.what(), path("nowhere") + ": cannot be read: No such file or directory");
  }
}

// The check value of CRC-32/ISO-HDLC.
TEST(Checksum, IsTheCrc32OfGzip) {
  EXPECT_EQ(crc32_text(crc32_of("123456789")), "cbf43926");
  EXPECT_EQ(crc32_of("6789", crc32_of("12345")), crc32_of("123456789"));
  EXPECT_EQ(crc32_of("", crc32_of("12345")), crc32_of("12345"));
  EXPECT_EQ(crc32_text(1), "00000001");
}

}  // namespace
}  // namespace reprise::cli
