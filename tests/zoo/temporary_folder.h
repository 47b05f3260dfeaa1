// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own, with files made from bytes; gone when the test ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <stdlib.h>

namespace reprise::zoo {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "reprise-zoo-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("TemporaryFolder: cannot make " + name);
    }
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_; }

  // Writes the file and returns its path.
  std::string file(const std::string& name, const std::string& bytes) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string file(const std::string& name, const std::vector<std::uint8_t>& bytes) const {
    return file(name, std::string(bytes.begin(), bytes.end()));
  }

 private:
  std::string path_;
};

// The message of the exception that `run` throws, or "nothing thrown".
template <class Run>
std::string message_of(Run&& run) {
  try {
    run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace reprise::zoo
