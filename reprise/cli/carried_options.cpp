// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/carried_options.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "reprise/cli/checksum.h"
#include "reprise/cli/errors.h"
#include "reprise/plan/shortened.h"
#include "reprise/zoo/folder_files.h"
#include "reprise/zoo/read_blocks.h"

namespace reprise::cli {
namespace {

constexpr std::array kDeciding = {"model",   "layers",     "depths",  "dim",          "heads",
                                  "context", "image-size", "classes", "dropout",      "attention",
                                  "batch",   "seed",       "lr",      "weight-decay", "accumulate",
                                  "clip",    "bf16",       "threads"};
constexpr std::array kFree = {"steps", "policy", "policy-from-length", "text",
                              "data",  "labels", "validation-batches"};
constexpr std::array kFiles = {"text", "data", "labels"};

bool is_same(const std::string& left, const std::string& right) {
  const auto number = [](const std::string& text, double& value) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end;
  };
  double left_number = 0;
  double right_number = 0;
  if (number(left, left_number) && number(right, right_number)) {
    return left_number == right_number;
  }
  return left == right;
}

UsageError difference(const std::string& name, const std::string& expected, const std::string& file,
                      const std::string& got) {
  return UsageError{"--" + name + ": expected " + shortened(expected) + " as in " + file +
                    ", got " + in_quotes(got)};
}

std::uint32_t crc32_of_file(const std::string& path, std::uint32_t crc) {
  zoo::read_blocks(path, [&crc](std::string_view block) { crc = crc32_of(block, crc); });
  return crc;
}

std::uint32_t crc32_of_files(const std::filesystem::path& path, std::uint32_t crc) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return crc32_of_file(path.string(), crc);
  }
  for (const auto& file : zoo::folder_files(path.string(), zoo::Subfolders::kIncluded)) {
    crc = crc32_of(file.lexically_relative(path).string(), crc);
    crc = crc32_of_file(file.string(), crc);
  }
  return crc;
}

}  // namespace

OptionTexts carried_options(const OptionValues& values) {
  OptionTexts texts;
  for (const char* name : kDeciding) {
    texts[name] = values.text(name);
  }
  for (const char* name : kFree) {
    texts[name] = values.text(name);
  }
  return texts;
}

void adopt_options(const OptionTexts& saved, OptionValues& values) {
  const OptionTexts known = carried_options(values);
  for (const auto& [name, text] : saved) {
    if (known.contains(name) && !values.is_given(name) && !text.empty()) {
      values.set(name, text);
    }
  }
}

void check_same_options(const OptionTexts& saved, const OptionValues& values,
                        const std::string& file) {
  for (const char* name : kDeciding) {
    const auto found = saved.find(name);
    const std::string expected = found == saved.end() ? "" : found->second;
    const std::string& got = values.text(name);
    if (!expected.empty() && !got.empty() && !is_same(expected, got)) {
      throw difference(name, expected, file, got);
    }
  }
}

std::string data_crc32(const OptionValues& values) {
  bool is_any_named = false;
  std::uint32_t crc = 0;
  for (const char* name : kFiles) {
    const std::string& path = values.text(name);
    if (!path.empty()) {
      is_any_named = true;
      crc = crc32_of_files(path, crc);
    }
  }
  return is_any_named ? crc32_text(crc) : "";
}

}  // namespace reprise::cli
