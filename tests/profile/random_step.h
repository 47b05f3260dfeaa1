// SPDX-License-Identifier: Apache-2.0
// Small steps with all that watched ones have: views, writes in place to parts of a storage,
// several results, external storages that are written, storages that user code holds for a while or
// to the end; and the contents that each op found and left, for checks that know no rule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reprise/profile/step_trace.h"
#include "tests/profile/step_builder.h"

namespace reprise::profile {

using Bytes = std::vector<std::uint64_t>;  // a number for each byte, other after each write

inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  return (seed ^ value) * 0x9E3779B97F4A7C15U + (seed >> 29U) + 1;
}

// Where the elements of the view lie, byte by byte.
inline std::vector<std::size_t> places_of(const tape::ByteView& view) {
  std::vector<std::size_t> places = {static_cast<std::size_t>(view.offset)};
  for (std::size_t i = 0; i < view.sizes.size(); ++i) {
    std::vector<std::size_t> more;
    for (const std::size_t place : places) {
      for (std::int64_t k = 0; k < view.sizes[i]; ++k) {
        more.push_back(place + static_cast<std::size_t>(k * view.strides[i]));
      }
    }
    places = more;
  }
  std::vector<std::size_t> bytes;
  for (const std::size_t place : places) {
    for (std::int64_t k = 0; k < view.item_bytes; ++k) {
      bytes.push_back(place + static_cast<std::size_t>(k));
    }
  }
  return bytes;
}

inline std::uint64_t read(const Bytes& storage, const tape::ByteView& view) {
  std::uint64_t seen = 0;
  for (const std::size_t place : places_of(view)) {
    seen = mixed(seen, storage[place]);
  }
  return seen;
}

// What op `number` writes into `storage` after it has seen `reads`.
inline void write(Bytes& storage, const tape::ByteView& view, std::size_t number,
                  const std::vector<std::uint64_t>& reads) {
  std::uint64_t seed = mixed(number, 1);
  for (const std::uint64_t seen : reads) {
    seed = mixed(seed, seen);
  }
  for (const std::size_t place : places_of(view)) {
    storage[place] = mixed(seed, place);
  }
}

struct RandomStep {
  StepTrace trace;
  std::vector<std::vector<std::uint64_t>> seen;  // per op and read
  std::vector<std::vector<Bytes>> contents;      // per storage and version
};

class RandomStepMaker {
 public:
  explicit RandomStepMaker(std::mt19937& random) : random_(random) {}

  RandomStep make() {
    for (int i = number(1, 2); i > 0; --i) {
      step_.external(number(1, 8));
    }
    for (int i = number(1, 16); i > 0; --i) {
      add_op();
    }
    run();
    set_lifetimes();
    add_uses();
    result_.trace = std::move(step_.trace);
    return std::move(result_);
  }

 private:
  int number(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  bool chance(int percent) { return number(1, 100) <= percent; }
  int any_storage() { return number(0, static_cast<int>(step_.trace.storages.size()) - 1); }

  // All of it, a short range, or every second element.
  Access any_view(int storage) {
    Access access = step_.all(storage);
    const int bytes = static_cast<int>(access.view.sizes[0]);
    if (chance(60)) {
      const int begin = number(0, bytes - 1);
      access.view.offset = begin;
      access.view.sizes = {number(1, std::min(3, bytes - begin))};
    } else if (chance(50)) {
      const int begin = number(0, 1) % bytes;
      access.view.offset = begin;
      access.view.sizes = {(bytes - begin + 1) / 2};
      access.view.strides = {2};
    }
    return access;
  }

  void add_op() {
    const std::string name = "op" + std::to_string(step_.trace.ops.size());
    std::vector<Access> reads;
    for (int i = number(0, 2); i > 0; --i) {
      reads.push_back(any_view(any_storage()));
    }
    if (chance(45)) {
      step_.write(name, any_view(any_storage()), std::move(reads));
    } else {
      step_.make(name, number(1, 12), std::move(reads));
      if (chance(20)) {
        step_.make_also(number(1, 8));
      }
    }
    OpTrace& op = step_.trace.ops.back();
    op.cost_us = number(0, 9);
    op.random = chance(10);
    op.peak_bytes = number(-2, 40);
    op.transient_bytes = number(0, 20);
  }

  void run() {
    std::vector<std::vector<Bytes>>& contents = result_.contents;
    for (const StorageTrace& storage : step_.trace.storages) {
      contents.emplace_back();
      if (storage.external) {
        contents.back().emplace_back(static_cast<std::size_t>(storage.bytes), contents.size());
      }
    }
    for (std::size_t i = 0; i < step_.trace.ops.size(); ++i) {
      const OpTrace& op = step_.trace.ops[i];
      result_.seen.emplace_back();
      for (const Access& access : op.reads) {
        result_.seen[i].push_back(
            read(contents[static_cast<std::size_t>(access.storage)].back(), access.view));
      }
      for (const Access& access : op.writes) {
        const auto storage = static_cast<std::size_t>(access.storage);
        Bytes bytes = contents[storage].empty()
                          ? Bytes(static_cast<std::size_t>(step_.trace.storages[storage].bytes))
                          : contents[storage].back();
        write(bytes, access.view, i, result_.seen[i]);
        contents[storage].push_back(std::move(bytes));
      }
    }
  }

  void set_lifetimes() {
    for (StorageTrace& storage : step_.trace.storages) {
      storage.held = chance(20);
      storage.released_at = number(0, static_cast<int>(step_.trace.ops.size()) - 1);
    }
  }

  void add_uses() {
    for (int i = number(0, 6); i > 0; --i) {
      std::vector<Access> needs;
      for (int k = number(0, 9); k > 0; --k) {
        Access need = any_view(any_storage());
        const std::vector<Bytes>& versions =
            result_.contents[static_cast<std::size_t>(need.storage)];
        need.version = number(0, static_cast<int>(versions.size()) - 1);
        const Bytes& then = versions[static_cast<std::size_t>(need.version)];
        if (read(then, need.view) == read(versions.back(), need.view)) {
          needs.push_back(std::move(need));
        }
      }
      step_.use("use" + std::to_string(i), std::move(needs));
      UseTrace& use = step_.trace.uses.back();
      use.begin_bytes = number(0, 40);
      use.peak_bytes = number(0, 60);
      use.after_bytes = number(0, 40);
    }
  }

  std::mt19937& random_;
  StepBuilder step_;
  RandomStep result_;
};

inline RandomStep random_step(std::uint32_t seed) {
  std::mt19937 random(seed);
  return RandomStepMaker(random).make();
}

}  // namespace reprise::profile
