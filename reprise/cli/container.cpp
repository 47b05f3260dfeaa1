// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/container.h"

#include <cstdint>

#include "reprise/cli/checksum.h"
#include "reprise/plan/format_error.h"

namespace reprise::cli {
namespace {

const std::string kMagic = "RPRSTATE";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kChecksumAt = kHeaderBytes - 4;

template <class Number>
void append(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes += static_cast<char>(static_cast<std::uint8_t>(number >> (8 * i)));
  }
}

// Reads from the front of `bytes`; is_cut() once something was not there.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number number() {
    Number number = 0;
    const std::string_view part = take(sizeof(Number));
    for (std::size_t i = 0; i < part.size(); ++i) {
      number |=
          static_cast<Number>(static_cast<Number>(static_cast<std::uint8_t>(part[i])) << (8 * i));
    }
    return number;
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) {
      is_cut_ = true;
      return {};
    }
    const std::string_view part = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return part;
  }

  bool is_cut() const { return is_cut_; }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_cut_ = false;
};

void expect(bool is_so, const std::string& name, const std::string& expected,
            const std::string& got) {
  if (!is_so) {
    throw FormatError::mismatch(name, expected, got);
  }
}

std::string text(std::uint64_t number) { return std::to_string(number); }

}  // namespace

std::string pack_container(const Sections& sections) {
  std::string payload;
  for (const auto& [name, data] : sections) {
    append(payload, static_cast<std::uint32_t>(name.size()));
    payload += name;
    append(payload, static_cast<std::uint64_t>(data.size()));
    payload += data;
  }
  std::string bytes = kMagic;
  append(bytes, kVersion);
  append(bytes, static_cast<std::uint32_t>(sections.size()));
  append(bytes, static_cast<std::uint64_t>(payload.size()));
  append(bytes, crc32_of(payload));
  append(bytes, crc32_of(bytes));
  return bytes + payload;
}

Sections unpack_container(const std::string& bytes, const std::string& name) {
  expect(is_container(bytes), name, "a saved run (its first bytes are '" + kMagic + "')",
         bytes.empty() ? "an empty file" : "a file of another kind");
  expect(bytes.size() >= kHeaderBytes, name, "a header of " + text(kHeaderBytes) + " bytes",
         "a file cut after " + text(bytes.size()));
  const std::string_view all = bytes;
  const std::string_view payload = all.substr(kHeaderBytes);
  Reader header(all.substr(kMagic.size(), kHeaderBytes - kMagic.size()));
  const auto version = header.number<std::uint32_t>();
  const auto section_count = header.number<std::uint32_t>();
  const auto payload_bytes = header.number<std::uint64_t>();
  const auto payload_crc = header.number<std::uint32_t>();
  const auto header_crc = header.number<std::uint32_t>();
  expect(crc32_of(all.substr(0, kChecksumAt)) == header_crc, name,
         "a header that fits its checksum", "a damaged one");
  expect(version == kVersion, name, "version " + text(kVersion), "version " + text(version));
  expect(payload.size() == payload_bytes, name, text(payload_bytes) + " bytes after the header",
         text(payload.size()));
  expect(crc32_of(payload) == payload_crc, name, "content that fits its checksum",
         "damaged content");

  Sections sections;
  Reader reader(payload);
  for (std::uint32_t i = 0; i < section_count && !reader.is_cut(); ++i) {
    const std::string key(reader.take(reader.number<std::uint32_t>()));
    sections[key] = reader.take(reader.number<std::uint64_t>());
  }
  expect(!reader.is_cut() && reader.is_at_end() && sections.size() == section_count, name,
         text(section_count) + " whole sections", "others");
  return sections;
}

bool is_container(const std::string& bytes) { return bytes.rfind(kMagic, 0) == 0; }

}  // namespace reprise::cli
