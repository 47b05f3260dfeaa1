// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/read_blocks.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

#include "reprise/plan/format_error.h"

namespace reprise::zoo {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

FormatError read_error(const std::string& path) {
  return {path, "cannot be read: " + std::generic_category().message(errno)};
}

}  // namespace

void read_blocks(const std::string& path, const std::function<void(std::string_view)>& take) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    throw read_error(path);
  }
  std::vector<char> block(kBlockBytes);
  std::size_t count = block.size();
  while (count == block.size()) {
    count = std::fread(block.data(), 1, block.size(), file.get());
    if (std::ferror(file.get()) != 0) {
      throw read_error(path);
    }
    if (count > 0) {
      take({block.data(), count});
    }
  }
}

}  // namespace reprise::zoo
