// SPDX-License-Identifier: Apache-2.0
// Labels of a recorded step: by scopes, and by the parameters of a model.
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/label.h"
#include "reprise/memory_budget.h"

namespace reprise {
namespace {

using testing::ElementsAre;

// The labels of the program's recipes, in order and each once.
std::vector<std::string> labels_of(const MemoryBudget& budget) {
  std::vector<std::string> labels;
  const plan::Program program = budget.program().value();
  for (const plan::Recipe& recipe : program.recipes) {
    if (labels.empty() || labels.back() != recipe.label) {
      labels.push_back(recipe.label);
    }
  }
  return labels;
}

TEST(Labels, ScopesNest) {
  const at::Tensor x = torch::ones({8}).requires_grad_();
  MemoryBudget budget = MemoryBudget::share_of_peak(1);
  {
    const auto step = budget.step();
    at::Tensor h = x.sin();
    {
      const auto encoder = label("encoder");
      h = h.exp();
      {
        const auto layer = label("layer3");
        h = h.tanh();
      }
      h = h.sigmoid();
    }
    h.square().sum().backward();
  }
  EXPECT_THAT(labels_of(budget), ElementsAre("", "encoder", "encoder.layer3", "encoder"));
}

TEST(Labels, AreThereForUsesToo) {
  const at::Tensor x = torch::ones({8}).requires_grad_();
  MemoryBudget budget = MemoryBudget::share_of_peak(1);
  {
    const auto step = budget.step();
    const auto part = label("part");
    x.sin().exp().sum().backward();
  }
  const plan::Program program = budget.program().value();
  ASSERT_FALSE(program.uses.empty());
  for (const plan::Use& use : program.uses) {
    EXPECT_EQ(use.label, "part");
  }
}

TEST(Labels, AModelGivesItsPartsNames) {
  torch::nn::Sequential model(torch::nn::Linear(8, 8), torch::nn::Tanh(), torch::nn::Linear(8, 8),
                              torch::nn::Sigmoid());
  MemoryBudget budget = MemoryBudget::share_of_peak(1);
  budget.name(*model);
  const at::Tensor x = torch::ones({4, 8});
  {
    const auto step = budget.step();
    model->forward(x).square().sum().backward();
  }
  EXPECT_THAT(labels_of(budget), ElementsAre("0", "2"));
}

TEST(Labels, AnOpenScopeComesBeforeTheModelsNames) {
  torch::nn::Sequential model(torch::nn::Linear(8, 8), torch::nn::Tanh());
  MemoryBudget budget = MemoryBudget::share_of_peak(1);
  budget.name(*model);
  {
    const auto step = budget.step();
    const auto part = label("mine");
    model->forward(torch::ones({4, 8})).square().sum().backward();
  }
  EXPECT_THAT(labels_of(budget), ElementsAre("mine"));
}

TEST(Labels, AreClosedByAnException) {
  try {
    const auto part = label("part");
    throw std::runtime_error("the user's");
  } catch (const std::runtime_error&) {
  }
  const at::Tensor x = torch::ones({8}).requires_grad_();
  MemoryBudget budget = MemoryBudget::share_of_peak(1);
  {
    const auto step = budget.step();
    x.sin().exp().sum().backward();
  }
  EXPECT_THAT(labels_of(budget), ElementsAre(""));
}

}  // namespace
}  // namespace reprise
