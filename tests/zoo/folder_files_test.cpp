// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/folder_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/format_error.h"
#include "temporary_folder.h"

namespace reprise::zoo {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;

std::vector<std::string> names(const TemporaryFolder& folder, Subfolders subfolders) {
  std::vector<std::string> found;
  for (const fs::path& file : folder_files(folder.path(), subfolders)) {
    found.push_back(file.lexically_relative(folder.path()).string());
  }
  return found;
}

TEST(FolderFiles, AreSortedAndInSubfoldersIfAskedFor) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() + "/b");
  folder.file("c", "");
  folder.file("a", "");
  folder.file("b/x", "");
  EXPECT_THAT(names(folder, Subfolders::kLeftOut), ElementsAre("a", "c"));
  EXPECT_THAT(names(folder, Subfolders::kIncluded), ElementsAre("a", "b/x", "c"));
}

TEST(FolderFiles, FollowLinksToFilesOnly) {
  const TemporaryFolder folder;
  folder.file("a", "");
  fs::create_symlink("a", folder.path() + "/link");
  fs::create_symlink("nowhere", folder.path() + "/dangling");
  fs::create_directory_symlink(".", folder.path() + "/itself");
  EXPECT_THAT(names(folder, Subfolders::kIncluded), ElementsAre("a", "link"));
}

TEST(FolderFiles, NameTheEntryThatCannotBeTold) {
  const TemporaryFolder folder;
  const std::string loop = folder.path() + "/loop";
  fs::create_symlink("loop", loop);
  EXPECT_EQ(message_of([&] { folder_files(folder.path(), Subfolders::kIncluded); }),
            loop + ": cannot be read: Too many levels of symbolic links");
  EXPECT_THROW(folder_files(folder.path(), Subfolders::kLeftOut), FormatError);
}

TEST(FolderFiles, NameTheFolderThatIsNotThere) {
  EXPECT_EQ(message_of([] { folder_files("/no/such", Subfolders::kLeftOut); }),
            "/no/such: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace reprise::zoo
