// SPDX-License-Identifier: Apache-2.0
// The rules for programs, tried on random steps by what they are for: recipes make again what
// forward left, and bytes are there when the program says so.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/program.h"
#include "reprise/plan/simulate.h"
#include "reprise/profile/build_program.h"
#include "reprise/profile/recipe_ops.h"
#include "reprise/profile/storage_writes.h"
#include "tests/profile/naive_groups.h"
#include "tests/profile/random_step.h"

namespace reprise::profile {
namespace {

using testing::ElementsAreArray;

class RandomSteps : public testing::TestWithParam<int> {
 protected:
  // Calls `check(step)` for a hundred steps.
  template <class Check>
  void for_each_step(Check&& check) {
    for (int i = 0; i < 100; ++i) {
      const int seed = 100 * GetParam() + i;
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      check(random_step(static_cast<std::uint32_t>(seed)));
    }
  }
};

// Runs the recipe on what its inputs are at the end of forward, and compares all that it makes.
void expect_recipe_makes_its_outputs(const RandomStep& step, const BuiltProgram& built,
                                     const plan::Recipe& recipe) {
  std::vector<Bytes> storages(step.trace.storages.size());
  const auto storage_of = [&](int value) {
    return static_cast<std::size_t>(built.storage_of_value[static_cast<std::size_t>(value)]);
  };
  for (const int input : recipe.inputs) {
    storages[storage_of(input)] = step.contents[storage_of(input)].back();
  }
  for (const int output : recipe.outputs) {
    storages[storage_of(output)].assign(step.contents[storage_of(output)].back().size(), 0);
  }
  for (const std::int64_t op : recipe.ops) {
    const auto number = static_cast<std::size_t>(op);
    std::vector<std::uint64_t> seen;
    for (std::size_t i = 0; i < step.trace.ops[number].reads.size(); ++i) {
      const Access& access = step.trace.ops[number].reads[i];
      const auto storage = static_cast<std::size_t>(access.storage);
      if (step.trace.storages[storage].external) {
        seen.push_back(step.seen[number][i]);
      } else {
        ASSERT_FALSE(storages[storage].empty()) << "neither input nor output";
        seen.push_back(read(storages[storage], access.view));
      }
    }
    for (const Access& access : step.trace.ops[number].writes) {
      const auto storage = static_cast<std::size_t>(access.storage);
      if (!step.trace.storages[storage].external) {
        ASSERT_FALSE(storages[storage].empty()) << "no output";
        write(storages[storage], access.view, number, seen);
      }
    }
  }
  for (const int output : recipe.outputs) {
    EXPECT_EQ(storages[storage_of(output)], step.contents[storage_of(output)].back());
  }
}

TEST_P(RandomSteps, HaveRecipesThatMakeAgainWhatForwardLeft) {
  for_each_step([](const RandomStep& step) {
    const BuiltProgram built = build_program(step.trace);
    for (const plan::Recipe& recipe : built.program.recipes) {
      expect_recipe_makes_its_outputs(step, built, recipe);
    }
  });
}

std::vector<int> needed_storages(const StepTrace& trace) {
  std::vector<int> needed;
  for (const UseTrace& use : trace.uses) {
    for (const Access& need : use.needs) {
      if (!trace.storages[static_cast<std::size_t>(need.storage)].external) {
        needed.push_back(need.storage);
      }
    }
  }
  return needed;
}

TEST_P(RandomSteps, HaveTheGroupsThatTheDefinitionGives) {
  for_each_step([](const RandomStep& step) {
    const std::vector<int> needed = needed_storages(step.trace);
    EXPECT_THAT(group_ops(step.trace, StorageWrites(step.trace), needed),
                ElementsAreArray(NaiveGroups(step, needed).find()));
  });
}

TEST_P(RandomSteps, HaveProgramsWithoutAFaultAndMapsThatAreInverse) {
  for_each_step([](const RandomStep& step) {
    const BuiltProgram built = build_program(step.trace);
    EXPECT_FALSE(plan::find_fault(built.program).has_value());
    ASSERT_EQ(built.storage_of_value.size(), built.program.values.size());
    ASSERT_EQ(built.value_of_storage.size(), step.trace.storages.size());
    for (std::size_t value = 0; value < built.storage_of_value.size(); ++value) {
      const int storage = built.storage_of_value[value];
      EXPECT_EQ(built.value_of_storage[static_cast<std::size_t>(storage)], static_cast<int>(value));
    }
    EXPECT_EQ(
        std::count(built.value_of_storage.begin(), built.value_of_storage.end(), kNoValue),
        static_cast<std::ptrdiff_t>(step.trace.storages.size() - built.storage_of_value.size()));
  });
}

TEST_P(RandomSteps, TellWhichAccessesOutliveLaterWritesAsTheContentsDo) {
  for_each_step([](const RandomStep& step) {
    const StorageWrites writes(step.trace);
    for (const OpTrace& op : step.trace.ops) {
      for (const Access& access : op.reads) {
        const std::vector<Bytes>& versions =
            step.contents[static_cast<std::size_t>(access.storage)];
        const Bytes& then = versions[static_cast<std::size_t>(access.version)];
        EXPECT_EQ(writes.outlives_later_writes(access),
                  read(then, access.view) == read(versions.back(), access.view));
      }
    }
  });
}

// The bytes of a step that keeps all it needs, counted from the trace alone.
class NaiveCount {
 public:
  explicit NaiveCount(const StepTrace& trace) : trace_(trace) {}

  // What backward keeps and user code has let go of by the end of op `op`, before use `use`.
  std::int64_t kept_bytes(int op, std::size_t use) const {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < trace_.storages.size(); ++i) {
      const StorageTrace& storage = trace_.storages[i];
      const bool is_kept =
          !storage.external && !storage.held && is_needed(static_cast<int>(i), use);
      bytes += is_kept && released_at(static_cast<int>(i)) < op ? storage.bytes : 0;
    }
    return bytes;
  }

  std::int64_t resident_bytes() const {
    std::int64_t bytes = 0;
    for (const StorageTrace& storage : trace_.storages) {
      bytes += storage.held && !storage.external ? storage.bytes : 0;
    }
    return bytes;
  }

 private:
  bool is_needed(int storage, std::size_t first_use) const {
    for (std::size_t use = first_use; use < trace_.uses.size(); ++use) {
      for (const Access& need : trace_.uses[use].needs) {
        if (need.storage == storage) {
          return true;
        }
      }
    }
    return false;
  }

  int released_at(int storage) const {
    int last = trace_.storages[static_cast<std::size_t>(storage)].released_at;
    for (std::size_t op = 0; op < trace_.ops.size(); ++op) {
      for (const Access& write : trace_.ops[op].writes) {
        last = write.storage == storage ? std::max(last, static_cast<int>(op)) : last;
      }
    }
    return last;
  }

  const StepTrace& trace_;
};

TEST_P(RandomSteps, HaveTheBytesOfABruteForceCountInEverySlotWithAllKept) {
  for_each_step([](const RandomStep& step) {
    const StepTrace& trace = step.trace;
    const NaiveCount count(trace);
    const int ops = static_cast<int>(trace.ops.size());
    std::vector<std::int64_t> expected;
    for (int op = 0; op < ops; ++op) {
      const std::int64_t peak = trace.ops[static_cast<std::size_t>(op)].peak_bytes;
      expected.push_back(std::max<std::int64_t>(0, peak) + count.kept_bytes(op, 0));
    }
    for (std::size_t use = 0; use < trace.uses.size(); ++use) {
      const std::int64_t resident = count.resident_bytes();
      expected.push_back(std::max(trace.uses[use].peak_bytes, resident) +
                         count.kept_bytes(ops, use));
      expected.push_back(std::max(trace.uses[use].after_bytes, resident) +
                         count.kept_bytes(ops, use + 1));
    }
    std::vector<std::int64_t> simulated;
    for (const plan::Slot& slot : plan::simulate_keep_all(build_program(trace).program).timeline) {
      simulated.push_back(slot.total_bytes());
    }
    EXPECT_THAT(simulated, ElementsAreArray(expected));
  });
}

INSTANTIATE_TEST_SUITE_P(Hundreds, RandomSteps, testing::Range(0, 20));

// Else the tests above would show little.
TEST(RandomStepMaker, MakesStepsWithChainsAndWithNeedsOfEarlierVersions) {
  int longer_recipes = 0;
  int earlier_needs = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const RandomStep step = random_step(seed);
    for (const plan::Recipe& recipe : build_program(step.trace).program.recipes) {
      longer_recipes += recipe.ops.size() > 1 ? 1 : 0;
    }
    for (const UseTrace& use : step.trace.uses) {
      earlier_needs += static_cast<int>(
          std::count_if(use.needs.begin(), use.needs.end(), [&](const Access& need) {
            const std::size_t versions =
                step.contents[static_cast<std::size_t>(need.storage)].size();
            return static_cast<std::size_t>(need.version) + 1 < versions;
          }));
    }
  }
  EXPECT_GT(longer_recipes, 100);
  EXPECT_GT(earlier_needs, 100);
}

}  // namespace
}  // namespace reprise::profile
