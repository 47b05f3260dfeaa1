// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/hash.h"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include <openssl/evp.h>

namespace reprise::plan {
namespace {

// The canonical form: every number takes 8 bytes, so that no two structures share one.
class CanonicalBytes {
 public:
  void add(std::int64_t number) {
    auto bits = static_cast<std::uint64_t>(number);
    for (int byte = 0; byte < 8; ++byte) {
      bytes_.push_back(static_cast<char>(bits & 0xFF));
      bits >>= 8;
    }
  }
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    bytes_.append(text);
  }
  template <class Integer>
  void add(const std::vector<Integer>& numbers) {
    add(static_cast<std::int64_t>(numbers.size()));
    for (const Integer number : numbers) {
      add(static_cast<std::int64_t>(number));
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string sha256_text(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("program_hash: the cryptography library has no SHA-256");
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text.push_back(digits[digest[i] >> 4]);
    text.push_back(digits[digest[i] & 0xF]);
  }
  return text;
}

}  // namespace

std::string program_hash(const Program& program) {
  CanonicalBytes form;
  form.add(std::string_view("reprise.program/1"));
  form.add(static_cast<std::int64_t>(program.values.size()));
  for (const Value& value : program.values) {
    form.add(value.bytes);
    form.add(static_cast<std::int64_t>(value.external));
    // An external value is always there: when it was made or released means nothing.
    form.add(value.external ? 0 : value.made_at);
    form.add(value.external ? 0 : value.released_at);
    form.add(static_cast<std::int64_t>(value.recipe));
  }
  form.add(static_cast<std::int64_t>(program.recipes.size()));
  for (const Recipe& recipe : program.recipes) {
    form.add(std::string_view(recipe.name));
    form.add(recipe.inputs);
    form.add(recipe.outputs);
    form.add(recipe.ops);
    form.add(recipe.transient_bytes);
    form.add(static_cast<std::int64_t>(recipe.random));
    form.add(static_cast<std::int64_t>(recipe.replayable));
  }
  form.add(static_cast<std::int64_t>(program.uses.size()));
  for (const Use& use : program.uses) {
    form.add(std::string_view(use.name));
    form.add(use.needs);
    form.add(use.background_bytes.replaying);
    form.add(use.background_bytes.running);
    form.add(use.background_bytes.after);
  }
  form.add(program.forward_peak_bytes);
  form.add(program.resident_bytes);
  return sha256_text(form.bytes());
}

std::string schedule_hash(const Schedule& schedule) {
  CanonicalBytes form;
  form.add(std::string_view("reprise.schedule/1"));
  form.add(std::string_view(schedule.program_hash));
  form.add(static_cast<std::int64_t>(schedule.replays.size()));
  for (const Replays& replays : schedule.replays) {
    form.add(static_cast<std::int64_t>(replays.before_use));
    form.add(replays.recipes);
  }
  return sha256_text(form.bytes());
}

}  // namespace reprise::plan
