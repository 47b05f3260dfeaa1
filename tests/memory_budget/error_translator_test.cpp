// SPDX-License-Identifier: Apache-2.0
// Errors that leave ops and backward, as a binding of another language wants them. An executable of
// its own, as the translator is that of the process.
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/tape/raise.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::Layers;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Translated : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void translate_budget_errors(const std::exception& error) {
  if (dynamic_cast<const BudgetError*>(&error) != nullptr) {
    throw Translated(std::string("translated: ") + error.what());
  }
}

TEST(ErrorTranslator, ThrowsInPlaceOfOurErrorsUntilThereIsNone) {
  Layers layers(4);
  MemoryBudget budget = MemoryBudget::above_start(1);
  layers.gradients_under(budget, 32);

  tape::set_error_translator(&translate_budget_errors);
  EXPECT_THAT([&] { layers.gradients_under(budget, 32); },
              ThrowsMessage<Translated>(HasSubstr("translated: MemoryBudget: expected at least")));

  tape::set_error_translator(nullptr);
  EXPECT_THROW(layers.gradients_under(budget, 32), BudgetError);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(ErrorTranslator, LeavesErrorsThatItDoesNotKnow) {
  const auto mismatched = [] {
    int calls = 0;
    CheckpointOptions options;
    options.recompute = Recompute::kRerun;
    const at::Tensor x = torch::ones({4}, torch::requires_grad());
    checkpoint(
        options, [&calls](const at::Tensor& t) { return t.slice(0, ++calls).sin().exp(); }, x)
        .sum()
        .backward();
  };
  tape::set_error_translator(&translate_budget_errors);
  EXPECT_THROW(mismatched(), ReplayMismatch);
  tape::set_error_translator(nullptr);
}

}  // namespace
}  // namespace reprise
