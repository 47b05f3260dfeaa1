// SPDX-License-Identifier: Apache-2.0
// A thousand random models train under budgets, and under random schedules, as they do plainly: bit
// by bit, with the peak that was predicted.
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/memory_budget/random_model.h"
#include "tests/plan/random_schedule.h"

namespace reprise {
namespace {

using support::RandomModel;
using support::Tensors;
using testing::AllOf;
using testing::Ge;
using testing::Le;

// Of tensors as small as these, a few may be gone a little sooner than when the pass was recorded:
// 736 bytes in one of the thousand models, nothing in all but a dozen.
constexpr std::int64_t kMostBelow = 1024;

Tensors results_under(MemoryBudget& budget, RandomModel& model) {
  {
    const auto step = budget.step();
    model.loss().backward();
  }
  return model.take_results();
}

void expect_plain_results(const std::string& name, MemoryBudget budget, RandomModel& model,
                          const Tensors& plain) {
  SCOPED_TRACE(name);
  for (int step = 0; step < 3; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    EXPECT_TRUE(support::bitwise_equal(results_under(budget, model), plain));
    EXPECT_EQ(live_hooks(), 0);
  }
  const BudgetReport report = budget.report();
  EXPECT_EQ(report.unplanned_because, "");
  EXPECT_EQ(report.departures, 0);
  EXPECT_EQ(report.planned_passes, 2);
  EXPECT_THAT(report.last.peak_bytes, AllOf(Le(report.last.predicted_peak_bytes),
                                            Ge(report.last.predicted_peak_bytes - kMostBelow)))
      << report.text();
}

class RandomModels : public testing::TestWithParam<std::uint32_t> {};

constexpr std::uint32_t kModelsPerTest = 50;

TEST_P(RandomModels, TrainAsTheyDoPlainly) {
  for (std::uint32_t i = 0; i < kModelsPerTest; ++i) {
    const std::uint32_t seed = GetParam() * kModelsPerTest + i;
    SCOPED_TRACE("model " + std::to_string(seed));
    RandomModel model(seed);
    model.loss().backward();
    const Tensors plain = model.take_results();
    std::mt19937 source(seed);

    const double share = .2 + .1 * static_cast<double>(source() % 8);
    expect_plain_results("share " + std::to_string(share),
                         MemoryBudget::share_of_peak(share, {.iterations = 3, .is_hard = false}),
                         model, plain);
    // The first step evicts whatever it can.
    expect_plain_results("a byte", MemoryBudget(1, {.iterations = 3, .is_hard = false}), model,
                         plain);

    MemoryBudget recorded = MemoryBudget::share_of_peak(1);
    results_under(recorded, model);
    MemoryBudgetOptions options;
    options.schedule = plan::random_schedule(*recorded.program(), seed);
    expect_plain_results("a random schedule", MemoryBudget::minimum(std::move(options)), model,
                         plain);
  }
}

INSTANTIATE_TEST_SUITE_P(MemoryBudget, RandomModels, testing::Range(0U, 20U));

}  // namespace
}  // namespace reprise
