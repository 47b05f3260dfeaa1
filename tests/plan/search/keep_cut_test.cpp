// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/keep_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/chain_program.h"
#include "tests/plan/complaints.h"
#include "tests/plan/program_count.h"
#include "tests/plan/random_program.h"

namespace reprise::plan {
namespace {

using testing::IsEmpty;

TEST(KeepCut, CountsWhatNoChoiceAvoids) {
  Program program = chain_of_three();
  program.resident_bytes = 7;
  // Use C: 100 while it runs and the value it needs; use B: 150 and the value it needs.
  EXPECT_EQ(KeepCut(program, 0).fixed_bytes(), 207);
  EXPECT_EQ(KeepCut(program, 1).fixed_bytes(), 257);
}

TEST(KeepCut, KeepsEverythingThatIsWantedIfBytesAreFree) {
  const Program program = chain_of_three();
  KeepCut cut(program, 0);
  const KeepCut::Choice choice = cut.choose(0);
  EXPECT_EQ(choice.cost_us, 0);
  EXPECT_EQ(choice.kept_bytes, 200);
  EXPECT_FALSE(cut.runs(0));
}

TEST(KeepCut, RunsARecipeWhenItsBytesCostMore) {
  const Program program = chain_of_three();
  KeepCut cut(program, 0);
  // 100 bytes at 0.15 us cost 15 us: more than recipe a's 10, less than recipe b's 20.
  const KeepCut::Choice choice = cut.choose(0.15);
  EXPECT_EQ(choice.cost_us, 10);
  EXPECT_EQ(choice.kept_bytes, 100);
  EXPECT_TRUE(cut.runs(0));
  EXPECT_FALSE(cut.runs(1));
}

TEST(KeepCut, WantsTheInputsOfWhatRuns) {
  Program program = chain_of_three();
  program.uses[2].needs = {};
  KeepCut cut(program, 0);
  // Only value 2 is wanted; to make it again, value 1 has to be kept or made again too: 30 us.
  EXPECT_FALSE((cut.choose(0.25), cut.runs(1)));
  EXPECT_TRUE((cut.choose(0.35), cut.runs(0) && cut.runs(1)));
}

TEST(KeepCut, GivesTheSameChoicesWhateverOrderThePricesComeIn) {
  const Program program = chain_of_three();
  KeepCut cut(program, 0);
  EXPECT_EQ(cut.choose(1).cost_us, 30);
  EXPECT_EQ(cut.choose(0.15).cost_us, 10);
  EXPECT_EQ(cut.choose(1).cost_us, 30);
}

TEST(BoundAt, IsWhereTheTwoBestChoicesCostTheSame) {
  const Program program = chain_of_three();
  KeepCut cut(program, 0);
  // 50 bytes beside the fixed ones. Keeping one value: 10 + p * 50; keeping none: 30 - p * 50.
  const PricedBound bound = bound_at(cut, 250);
  EXPECT_NEAR(bound.us, 20, 1e-6);
  EXPECT_NEAR(bound.us_per_byte, 0.2, 1e-9);
}

TEST(BoundAt, IsNothingIfEverythingFits) {
  const Program program = chain_of_three();
  KeepCut cut(program, 0);
  EXPECT_EQ(bound_at(cut, 400).us, 0);
}

TEST(BoundAt, IsInfiniteIfTheUseDoesNotFit) {
  const Program program = chain_of_three();
  KeepCut cut(program, 0);
  EXPECT_EQ(bound_at(cut, 199).us, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(bound_at(cut, 200).us, 30, 1e-6);
}

TEST(BoundAt, IsInfiniteIfWhatMustBeKeptDoesNotFit) {
  Program program = chain_of_three();
  program.recipes[0].replayable = false;
  KeepCut cut(program, 0);
  EXPECT_EQ(bound_at(cut, 299).us, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(bound_at(cut, 300).us, 20, 1e-6);
}

TEST(BoundAt, TakesAnHourForAByteIfItMust) {
  Program program = chain_of_three();
  program.values[1].bytes = 1;
  program.recipes[0].cost_us = 3.6e9;
  KeepCut cut(program, 0);
  // Value 2 and a budget without room for the byte of value 1 beside it.
  EXPECT_NEAR(bound_at(cut, 200).us, 3.6e9 + 20, 10);
}

// Every choice of recipes that run after a use, and what each costs and keeps.
class AllChoices {
 public:
  AllChoices(const Program& program, int use) : program_(program) {
    const std::vector<int>& now = program.uses[static_cast<std::size_t>(use)].needs;
    for (std::size_t value = 0; value < program.values.size(); ++value) {
      const Value& info = program.values[value];
      is_free_.push_back(info.external || program.is_held(info) ||
                         std::find(now.begin(), now.end(), static_cast<int>(value)) != now.end());
    }
    for (std::size_t later = static_cast<std::size_t>(use) + 1; later < program.uses.size();
         ++later) {
      const std::vector<int>& needs = program.uses[later].needs;
      wanted_.insert(wanted_.end(), needs.begin(), needs.end());
    }
    for (unsigned set = 0; set < 1U << program.recipes.size(); ++set) {
      add(set);
    }
  }

  struct Choice {
    unsigned set = 0;
    double cost_us = 0;
    std::int64_t kept_bytes = 0;
  };

  const std::vector<Choice>& list() const { return list_; }

  const Choice& of(const std::vector<bool>& runs) const {
    return *std::find_if(list_.begin(), list_.end(), [&](const Choice& choice) {
      for (std::size_t recipe = 0; recipe < runs.size(); ++recipe) {
        if (runs[recipe] != ((choice.set >> recipe & 1U) != 0)) {
          return false;
        }
      }
      return true;
    });
  }

  double least(double us_per_byte) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Choice& choice : list_) {
      least =
          std::min(least, choice.cost_us + us_per_byte * static_cast<double>(choice.kept_bytes));
    }
    return least;
  }

  double least_within(std::int64_t kept_bytes) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Choice& choice : list_) {
      least = choice.kept_bytes <= kept_bytes ? std::min(least, choice.cost_us) : least;
    }
    return least;
  }

 private:
  void add(unsigned set) {
    Choice choice{.set = set};
    std::vector<int> wanted = wanted_;
    for (std::size_t recipe = 0; recipe < program_.recipes.size(); ++recipe) {
      if ((set >> recipe & 1U) == 0) {
        continue;
      }
      const Recipe& info = program_.recipes[recipe];
      if (!info.replayable) {
        return;
      }
      choice.cost_us += info.cost_us;
      wanted.insert(wanted.end(), info.inputs.begin(), info.inputs.end());
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (const int value : wanted) {
      const Value& info = program_.values[static_cast<std::size_t>(value)];
      const bool is_made =
          info.recipe != kNoRecipe && (set >> static_cast<unsigned>(info.recipe) & 1U) != 0;
      choice.kept_bytes += is_made || is_free_[static_cast<std::size_t>(value)] ? 0 : info.bytes;
    }
    list_.push_back(choice);
  }

  const Program& program_;
  std::vector<bool> is_free_;
  std::vector<int> wanted_;
  std::vector<Choice> list_;
};

std::vector<bool> runs_of(const Program& program, const KeepCut& cut) {
  std::vector<bool> runs;
  for (std::size_t recipe = 0; recipe < program.recipes.size(); ++recipe) {
    runs.push_back(cut.runs(static_cast<int>(recipe)));
  }
  return runs;
}

std::vector<std::string> compare_with_all_choices(unsigned seed) {
  std::mt19937 random(seed);
  const Program program = random_program(random, 8);
  Complaints wrong;
  for (std::size_t use = 0; use < program.uses.size(); ++use) {
    const AllChoices all(program, static_cast<int>(use));
    KeepCut cut(program, static_cast<int>(use));
    for (int i = 0; i < 8; ++i) {
      const double price = std::uniform_int_distribution(0, 80)(random) / 16.0;
      const KeepCut::Choice choice = cut.choose(price);
      wrong.set_place("use " + std::to_string(use) + ", price " + std::to_string(price));
      wrong.unless(choice.us_per_byte == price, "another price");
      wrong.unless(std::abs(choice.cost_us + price * static_cast<double>(choice.kept_bytes) -
                            all.least(price)) < 1e-9,
                   "not the cheapest");
      const AllChoices::Choice& same = all.of(runs_of(program, cut));
      wrong.unless(choice.cost_us == same.cost_us && choice.kept_bytes == same.kept_bytes,
                   "its recipes cost or keep something else");
    }
    for (std::int64_t kept_bytes = -1; kept_bytes < 40; kept_bytes += 3) {
      const PricedBound bound = bound_at(cut, cut.fixed_bytes() + kept_bytes);
      const double least =
          kept_bytes < 0 ? std::numeric_limits<double>::infinity() : all.least_within(kept_bytes);
      wrong.set_place("use " + std::to_string(use) + ", " + std::to_string(kept_bytes) + " bytes");
      wrong.unless(bound.us <= least, "above the cheapest choice that fits");
      wrong.unless(std::isinf(bound.us) == std::isinf(least), "infinite or not");
      double best = 0;
      for (int price = 0; price <= 200; ++price) {
        best = std::max(best,
                        all.least(price / 20.0) - price / 20.0 * static_cast<double>(kept_bytes));
      }
      wrong.unless(std::isinf(least) || bound.us >= best - 1e-6, "below what another price gives");
    }
  }
  return wrong.list();
}

TEST(KeepCut, EqualsTheBestOfAllChoicesOnSmallPrograms) {
  constexpr unsigned kPrograms = programs(300);
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(compare_with_all_choices(seed), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
