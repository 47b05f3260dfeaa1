// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/meta_recorder.h"

#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/checkpoint.h"
#include "reprise/memory_budget.h"
#include "reprise/plan/hash.h"
#include "reprise/profile/step_error.h"

namespace reprise::profile {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(MetaRecorder& recorder, const std::function<void()>& step) {
  try {
    recorder.record(step);
  } catch (const StepError& error) {
    return error.what();
  }
  return "recorded";
}

// Uses its weight twice, so that the engine adds gradients up.
at::Tensor loss_of(const at::Tensor& x, const at::Tensor& weight) {
  return x.mm(weight).relu().mm(weight).tanh().sum();
}

TEST(MetaRecorder, MakesEveryTensorWithoutMemory) {
  const MetaRecorder recorder;
  EXPECT_TRUE(torch::ones({1000000, 1000000}).is_meta());
  EXPECT_TRUE(torch::nn::Linear(1000000, 1000000)->weight.is_meta());
  EXPECT_TRUE(torch::arange(5, at::kCPU).is_meta());
  std::thread other([] { EXPECT_TRUE(torch::ones({2}).is_cpu()); });
  other.join();
}

TEST(MetaRecorder, LeavesTheGeneratorAsItWas) {
  torch::manual_seed(5);
  const at::Tensor expected = torch::rand({3});
  torch::manual_seed(5);
  {
    MetaRecorder recorder;
    const at::Tensor w = torch::randn({4, 4}).requires_grad_();
    recorder.record([&] { torch::dropout(w.mm(w), .5, true).sum().backward(); });
  }
  EXPECT_TRUE(at::equal(torch::rand({3}), expected));
}

TEST(MetaRecorder, LeavesLaterTensorsWhereTheyBelong) {
  { const MetaRecorder recorder; }
  EXPECT_TRUE(torch::ones({2}).is_cpu());
}

TEST(MetaRecorder, RecordsWhatABudgetRecordsOnTheCpu) {
  plan::Program meta;
  {
    MetaRecorder recorder;
    const at::Tensor weight = torch::ones({16, 16}).requires_grad_();
    const at::Tensor x = torch::ones({64, 16});
    meta = recorder.record([&] { loss_of(x, weight).backward(); });
  }
  const at::Tensor weight = torch::ones({16, 16}).requires_grad_();
  const at::Tensor x = torch::ones({64, 16});
  MemoryBudget budget = MemoryBudget::minimum();
  {
    const auto step = budget.step();
    loss_of(x, weight).backward();
  }
  EXPECT_EQ(plan::program_hash(meta), plan::program_hash(budget.program().value()));
  EXPECT_EQ(meta.device, "meta");
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MetaRecorder, EstimatesForwardAndBackwardByTheSameRules) {
  MetaRecorder recorder({.gflops = 1, .gbytes_per_s = 1e6});  // all that counts is arithmetic
  const at::Tensor weight = torch::ones({50, 100}).requires_grad_();
  const at::Tensor x = torch::ones({20, 50}).requires_grad_();
  const plan::Program program = recorder.record([&] { x.mm(weight).exp().sum().backward(); });
  constexpr double kProductUs = 2 * 20 * 50 * 100 / 1e3;
  ASSERT_EQ(program.recipes.size(), 2U);
  EXPECT_NEAR(program.recipes[0].cost_us, kProductUs, 0.1);
  EXPECT_EQ(program.recipes[1].name, "aten::exp");
  EXPECT_NEAR(program.uses.back().cost_us, 2 * kProductUs, 0.1);  // one for each of the two
  EXPECT_NEAR(program.forward_us, kProductUs, 0.1);
  EXPECT_NEAR(program.step_us, 3 * kProductUs, 0.1);
}

TEST(MetaRecorder, NamesAnOpThatNeedsNumbersOrHasNoKernel) {
  MetaRecorder recorder;
  const at::Tensor x = torch::ones({3, 4}).requires_grad_();
  EXPECT_THAT(refusal(recorder, [&] { x.flip({0}).sum().backward(); }),
              StartsWith("aten::flip: expected an op that runs on tensors without bytes, got: "));
  EXPECT_THAT(refusal(recorder, [&] { x.mul(x.sum().item<double>()).sum().backward(); }),
              StartsWith("aten::_local_scalar_dense: expected an op that runs on "));
}

TEST(MetaRecorder, RefusesWhatIsNotOneForwardAndItsBackward) {
  MetaRecorder recorder;
  const at::Tensor x = torch::ones({3, 4}).requires_grad_();
  EXPECT_EQ(refusal(recorder, [&] { x.exp().sum(); }),
            "the step: expected a forward and its backward, got no backward");
  EXPECT_EQ(refusal(recorder, [] {}),
            "the step: expected a forward and its backward, got no backward");
  EXPECT_EQ(refusal(recorder,
                    [&] {
                      x.exp().sum().backward();
                      x.exp().sum().backward();
                    }),
            "the step: expected one forward and its backward, got more");
}

TEST(MetaRecorder, LetsOtherErrorsThroughAndWorksAgain) {
  MetaRecorder recorder;
  const at::Tensor x = torch::ones({3, 4}).requires_grad_();
  EXPECT_THROW(recorder.record([] { throw std::runtime_error("mine"); }), std::runtime_error);
  EXPECT_THAT(refusal(recorder, [&] { x.flip({0}); }), HasSubstr("aten::flip"));
  EXPECT_EQ(recorder.record([&] { x.exp().sum().backward(); }).uses.size(), 1U);
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace
}  // namespace reprise::profile
