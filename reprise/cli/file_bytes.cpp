// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/file_bytes.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reprise/cli/errors.h"
#include "reprise/zoo/read_blocks.h"

namespace reprise::cli {
namespace {

namespace fs = std::filesystem;

FileError write_error(const std::string& path) {
  return FileError{path + ": cannot be written: " + std::strerror(errno)};
}

// A descriptor that is closed on every way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

// A file that is removed again unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target)
      : path_(target + ".XXXXXX"), descriptor_(mkstemp(path_.data())) {}
  ~TemporaryFile() {
    if (!is_renamed_ && descriptor_.get() >= 0) {
      unlink(path_.c_str());
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return descriptor_.get(); }
  bool rename_to(const std::string& target) {
    is_renamed_ = rename(path_.c_str(), target.c_str()) == 0;
    return is_renamed_;
  }

 private:
  std::string path_;
  Descriptor descriptor_;
  bool is_renamed_ = false;
};

bool write_all(int descriptor, const std::string& bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = write(descriptor, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return true;
}

// What mkstemp() does not grant: the rights that the old file had, or those of a new file.
void set_rights(int descriptor, const std::string& target) {
  struct stat old = {};
  if (stat(target.c_str(), &old) == 0) {
    fchmod(descriptor, old.st_mode & 07777);
    return;
  }
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string resolved(const std::string& path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    const fs::path target = fs::weakly_canonical(path, error);
    return error ? path : target.string();
  }
  return path;
}

bool is_device_or_pipe(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void write_in_place(const std::string& path, const std::string& bytes) {
  const Descriptor descriptor(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (descriptor.get() < 0 || !write_all(descriptor.get(), bytes)) {
    throw write_error(path);
  }
}

}  // namespace

std::string read_file(const std::string& path) {
  std::string bytes;
  zoo::read_blocks(path, [&bytes](std::string_view block) { bytes += block; });
  return bytes;
}

void replace_file(const std::string& path, const std::string& bytes) {
  if (is_device_or_pipe(path)) {
    write_in_place(path, bytes);  // a rename would put a file in its place
    return;
  }
  const std::string target = resolved(path);
  TemporaryFile temporary(target);
  if (temporary.descriptor() < 0) {
    throw write_error(path);
  }
  set_rights(temporary.descriptor(), target);
  if (!write_all(temporary.descriptor(), bytes) || fsync(temporary.descriptor()) != 0 ||
      !temporary.rename_to(target)) {
    throw write_error(path);
  }
  // The rename itself reaches the disk with the folder. Some file systems cannot sync a folder;
  // the file is whole all the same, so that is no error.
  const Descriptor folder(open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY));
  if (folder.get() >= 0) {
    fsync(folder.get());
  }
}

void check_replaceable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw FileError(path + ": cannot be written: expected a file, got a folder");
  }
  if (is_device_or_pipe(path)) {
    return;
  }
  const TemporaryFile probe(resolved(path));
  if (probe.descriptor() < 0) {
    throw write_error(path);
  }
}

}  // namespace reprise::cli
