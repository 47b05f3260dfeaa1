// SPDX-License-Identifier: Apache-2.0
// The tape by itself: what it records, and that what it rebuilds has the bytes that were there. No
// gradients here; tests/checkpoint has those.
#include "reprise/tape/tape.h"

#include <functional>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/tape/tape_frame.h"
#include "tests/support/training.h"

namespace reprise::tape {
namespace {

using support::bitwise_equal;
using support::ramp;

struct Recorded {
  std::shared_ptr<Tape> tape = std::make_shared<Tape>();
  TensorRef result;
  at::Tensor expected;  // a copy of the result

  at::Tensor rebuilt() { return result.view->over(tape->rebuild({.wanted = {result.value}})[0]); }
};

// Records `fn` without gradients and drops whatever it made.
Recorded record(const std::function<at::Tensor()>& fn) {
  const torch::NoGradGuard no_grad;
  Recorded recorded;
  TapeFrame frame(recorded.tape);
  {
    const FrameScope scope(frame);
    const at::Tensor result = fn();
    recorded.result = recorded.tape->saved(result);
    const UnseenOps unseen;
    recorded.expected = result.clone();
  }
  recorded.tape->end();
  return recorded;
}

void expect_rebuilds(const std::function<at::Tensor()>& fn, std::int64_t replayed_ops) {
  Recorded recorded = record(fn);
  EXPECT_TRUE(bitwise_equal(recorded.rebuilt(), recorded.expected));
  EXPECT_EQ(recorded.tape->replayed_ops(), replayed_ops);
}

TEST(Tape, RebuildsWhatNobodyHolds) {
  const at::Tensor x = ramp({2, 3});
  expect_rebuilds([&] { return x.sin().exp(); }, 2);
}

TEST(Tape, RecordsNoViews) {
  const at::Tensor x = ramp({2, 3});
  const Recorded recorded = record([&] { return x.sin().view({3, 2}).t().slice(0, 0, 1); });

  EXPECT_EQ(recorded.tape->ops(), 1);
}

TEST(Tape, AViewComesBackWithItsStridesAndOffset) {
  const at::Tensor x = ramp({4, 3});
  Recorded recorded = record([&] { return x.sin().t().slice(0, 1, 3).slice(1, 1, 4, 2); });

  const at::Tensor rebuilt = recorded.rebuilt();
  EXPECT_TRUE(bitwise_equal(rebuilt, recorded.expected));
  EXPECT_EQ(rebuilt.strides(), c10::IntArrayRef({1, 6}));
  EXPECT_EQ(rebuilt.storage_offset(), 4);
}

TEST(Tape, AValueThatIsStillThereIsNotMadeAgain) {
  const at::Tensor x = ramp({3});
  at::Tensor held;
  expect_rebuilds([&] { return held = x.sin(); }, 0);
}

TEST(Tape, AValueThatWasWrittenSinceIsMadeAgain) {
  const at::Tensor x = ramp({3});
  at::Tensor held;
  Recorded recorded = record([&] { return held = x.sin(); });
  held.add_(1);

  EXPECT_TRUE(bitwise_equal(recorded.rebuilt(), recorded.expected));
  EXPECT_EQ(recorded.tape->replayed_ops(), 1);
}

TEST(Tape, InPlaceOpsAreRepeatedInOrder) {
  const at::Tensor x = ramp({3});
  expect_rebuilds([&] { return x.sin().mul_(3).add_(x).exp_(); }, 4);
}

TEST(Tape, AnEarlierVersionOfAStorageComesBack) {
  const torch::NoGradGuard no_grad;
  const at::Tensor x = ramp({3});
  const auto tape = std::make_shared<Tape>();
  TapeFrame frame(tape);
  TensorRef before;
  {
    const FrameScope scope(frame);
    const at::Tensor h = x.sin();
    before = tape->saved(h);
    h.mul_(2);
  }
  tape->end();

  EXPECT_TRUE(
      bitwise_equal(before.view->over(tape->rebuild({.wanted = {before.value}})[0]), x.sin()));
}

TEST(Tape, WritesThroughViewsAreWritesOfTheWhole) {
  const at::Tensor x = ramp({2, 3});
  expect_rebuilds(
      [&] {
        const at::Tensor whole = torch::zeros({2, 3}, torch::kDouble);
        whole[0].copy_(x[1]);
        whole[1].add_(x[0]);
        return whole;
      },
      3);
}

TEST(Tape, OneStorageReadAndWrittenThroughTwoViewsIsOneCopy) {
  const at::Tensor x = ramp({6});
  expect_rebuilds(
      [&] {
        const at::Tensor h = x.sin();
        h.slice(0, 0, 3).add_(h.slice(0, 3, 6));
        return h;
      },
      2);
}

TEST(Tape, MemoryFilledThroughAPointerIsKept) {
  expect_rebuilds(
      [] {
        const at::Tensor filled = torch::empty({3}, torch::kDouble);
        filled.data_ptr<double>()[0] = 1;
        filled.data_ptr<double>()[1] = 2;
        filled.data_ptr<double>()[2] = 4;
        return filled.mul(3);
      },
      1);
}

TEST(Tape, AnOpThatFillsNeedsNoOldBytes) {
  expect_rebuilds([] { return torch::empty({3}, torch::kDouble).fill_(2).sin(); }, 2);
}

TEST(Tape, AnOutArgumentIsAResult) {
  const at::Tensor x = ramp({3});
  expect_rebuilds(
      [&] {
        at::Tensor out = torch::empty({3}, torch::kDouble);
        at::add_out(out, x, x);
        return out.sin();
      },
      2);
}

TEST(Tape, OpsOnListsWriteEachElement) {
  const at::Tensor x = ramp({3});
  expect_rebuilds(
      [&] {
        const std::vector<at::Tensor> both = {x.sin(), x.cos()};
        at::_foreach_mul_(both, 3);
        return torch::cat(both).exp();
      },
      5);
}

TEST(Tape, ListsWithGapsArePassedOn) {
  const at::Tensor x = ramp({3, 3});
  const at::Tensor columns = torch::tensor({2, 0}, torch::kLong);
  expect_rebuilds([&] { return x.sin().index({at::indexing::Slice(), columns}).exp(); }, 3);
}

TEST(Tape, EveryResultOfAnOpComesBack) {
  const at::Tensor x = ramp({4, 3});
  expect_rebuilds([&] { return std::get<1>(x.sin().sort(0)); }, 2);
}

TEST(Tape, AConjugatedViewStaysConjugated) {
  const at::Tensor x = torch::complex(ramp({3}), ramp({3}).cos());
  expect_rebuilds([&] { return x.exp().conj().sin(); }, 3);  // sin of a copy, conjugated
}

TEST(Tape, ANumberStaysANumberForTypePromotion) {
  const at::Tensor x = torch::ones({3}, torch::kFloat);
  expect_rebuilds([&] { return (x * 0.1).sin() + torch::scalar_to_tensor(2.5); }, 3);
}

TEST(Tape, RandomOpsDrawWhatTheyDrew) {
  const at::Tensor x = ramp({32});
  torch::manual_seed(5);
  Recorded recorded = record([&] { return torch::rand_like(x).add(torch::randn({32})).exp(); });
  const at::Tensor state = support::default_generator_state();

  EXPECT_TRUE(bitwise_equal(recorded.rebuilt(), recorded.expected));
  EXPECT_TRUE(bitwise_equal(support::default_generator_state(), state));
}

TEST(Tape, AnOutsideTensorThatARecordedOpWritesKeepsItsBytesForReplays) {
  const at::Tensor counter = torch::ones({3}, torch::kDouble);
  Recorded recorded = record([&] {
    const at::Tensor before = counter.exp();
    counter.add_(1);
    return before.add(counter).sin();
  });
  const torch::NoGradGuard no_grad;
  counter.add_(5);  // by somebody else, afterwards

  EXPECT_TRUE(bitwise_equal(recorded.rebuilt(), recorded.expected));
}

TEST(Tape, AnOutsideTensorThatIsChangedAfterwardsIsAnError) {
  const at::Tensor x = ramp({3});
  Recorded recorded = record([&] { return x.sin().exp(); });
  x.add_(1);

  EXPECT_THAT([&] { recorded.rebuilt(); }, support::throws_modified_in_place());
}

TEST(Tape, AValueWhoseStorageIsReplacedIsMadeAgain) {
  const at::Tensor x = ramp({3});
  const at::Tensor y = ramp({3}).cos();
  expect_rebuilds(
      [&] {
        const at::Tensor h = x.sin();
        const at::Tensor before = h.exp();
        h.set_(y.exp());  // lets go of the sine
        return before.mul(h).cos();
      },
      5);  // all but set_
}

TEST(Tape, ATensorThatOnlyTheCallHoldsMayGetOtherStorage) {
  const at::Tensor x = ramp({3});
  expect_rebuilds([&] { return x.sin().set_(x.cos()).exp(); }, 2);
}

TEST(Tape, ASparseTensorIsHeldAsItIs) {
  const at::Tensor dense = torch::eye(3, torch::kDouble);
  const at::Tensor x = ramp({3, 3});
  // sin; zeros that addmm adds to; addmm; exp
  expect_rebuilds([&] { return at::_sparse_mm(dense.to_sparse(), x.sin()).exp(); }, 4);
}

// Three values in a row, of which the second one is drawn.
struct Drawn {
  std::shared_ptr<Tape> tape = std::make_shared<Tape>();
  ValueId first = kNoValue, noise = kNoValue, last = kNoValue;
  at::Tensor noise_tensor;  // holds it

  Drawn() {
    const torch::NoGradGuard no_grad;
    const at::Tensor x = ramp({3});
    TapeFrame frame(tape);
    {
      const FrameScope scope(frame);
      const at::Tensor sine = x.sin();
      first = tape->saved(sine).value;
      noise_tensor = torch::rand_like(sine);
      noise = tape->saved(noise_tensor).value;
      last = tape->saved(noise_tensor.exp()).value;
    }
    tape->end();
  }
  OpId maker(ValueId value) const { return tape->values().at(value).maker; }
};

TEST(Tape, EveryValueMayBeRebuiltAtFirst) {
  const Drawn drawn;

  EXPECT_TRUE(drawn.tape->may_rebuild(drawn.first));
  EXPECT_TRUE(drawn.tape->may_rebuild(drawn.noise));
  EXPECT_TRUE(drawn.tape->may_rebuild(drawn.last));
}

TEST(Tape, NoOpAfterAForgottenStateMayRunAgain) {
  const Drawn drawn;
  drawn.tape->forget_states_after(drawn.maker(drawn.first));

  EXPECT_FALSE(drawn.tape->generator_state(drawn.maker(drawn.noise)).defined());
  EXPECT_TRUE(drawn.tape->may_rebuild(drawn.first));
  EXPECT_FALSE(drawn.tape->may_rebuild(drawn.noise));
  EXPECT_FALSE(drawn.tape->may_rebuild(drawn.last));
}

TEST(Tape, WhereNoStateIsForgottenEveryOpMayRunAgain) {
  const Drawn drawn;
  drawn.tape->forget_states_after(drawn.maker(drawn.noise));

  EXPECT_TRUE(drawn.tape->generator_state(drawn.maker(drawn.noise)).defined());
  EXPECT_TRUE(drawn.tape->may_rebuild(drawn.noise));
  EXPECT_TRUE(drawn.tape->may_rebuild(drawn.last));
}

TEST(Tape, WhatIsReadOfAForgottenOpIsKept) {
  Drawn drawn;
  drawn.tape->forget_states_after(drawn.maker(drawn.first));
  const torch::NoGradGuard no_grad;
  drawn.tape->resume();
  TapeFrame frame(drawn.tape);
  TensorRef later;
  at::Tensor expected;
  {
    const FrameScope scope(frame);
    const at::Tensor cosine = drawn.noise_tensor.cos();
    later = drawn.tape->saved(cosine);
    const UnseenOps unseen;
    expected = cosine.clone();
  }
  drawn.tape->end();
  drawn.noise_tensor.reset();

  EXPECT_TRUE(drawn.tape->values().at(drawn.noise).is_external());
  EXPECT_TRUE(drawn.tape->may_rebuild(later.value));
  EXPECT_TRUE(
      bitwise_equal(later.view->over(drawn.tape->rebuild({.wanted = {later.value}})[0]), expected));
}

}  // namespace
}  // namespace reprise::tape
