// SPDX-License-Identifier: Apache-2.0
// A process that is forked in the midst of a step, as workers of data loaders are.
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "reprise/memory_budget.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;

// The exit status of a child that calls `work`.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// In one thread: the pool of threads of a parent does not live in its children.
class MemoryBudgetForkedChild : public testing::Test {
 protected:
  MemoryBudgetForkedChild() { torch::set_num_threads(1); }
  ~MemoryBudgetForkedChild() override { torch::set_num_threads(threads_); }

 private:
  int threads_ = torch::get_num_threads();
};

TEST_F(MemoryBudgetForkedChild, RecordsNothing) {
  Layers layers(4);
  const support::Tensors expected = layers.plain_gradients(32);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  int status = -1;
  {
    const auto step = budget.step();
    const at::Tensor loss = layers.loss(32);
    status = status_of_child([&] {
      const std::int64_t hooks = live_hooks();
      const at::Tensor other = layers.loss(32);
      return live_hooks() == hooks ? 0 : 1;
    });
    loss.backward();
  }
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
  EXPECT_EQ(live_hooks(), 0);
}

TEST_F(MemoryBudgetForkedChild, MayTakeStepsOfItsOwn) {
  Layers layers(4);
  const support::Tensors expected = layers.plain_gradients(32);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  const auto step = budget.step();
  EXPECT_EQ(status_of_child([&] {
              MemoryBudget own = MemoryBudget::share_of_peak(0.7);
              for (int i = 0; i < 2; ++i) {
                if (!bitwise_equal(layers.gradients_under(own, 32), expected)) {
                  return 1;
                }
              }
              return own.report().last.replayed_ops > 0 ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace reprise
