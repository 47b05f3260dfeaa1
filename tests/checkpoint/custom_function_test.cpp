// SPDX-License-Identifier: Apache-2.0
// torch::autograd::Function inside regions (UC-07).
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_region_same_as_plain;
using support::expect_same_as_plain;
using support::is_close;
using support::leaf;
using support::Nest;
using support::Step;
using support::throws_modified_in_place;
using support::values;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Reads its saved tensors twice in backward.
struct Cube : torch::autograd::Function<Cube> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    return x * x * x;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    if (context->get_saved_variables().empty()) {
      return {at::Tensor()};
    }
    const at::Tensor x = context->get_saved_variables()[0];
    return {3 * x * x * grads[0]};
  }
};

// Saves a temporary that is neither its input nor its result.
struct SinThroughTemporary : torch::autograd::Function<SinThroughTemporary> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    at::Tensor temporary;
    {
      const at::AutoGradMode grad_on(true);
      temporary = x.detach().requires_grad_() * 1;
    }
    EXPECT_TRUE(temporary.requires_grad());
    context->save_for_backward({temporary});
    return temporary.detach().sin();
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    return {context->get_saved_variables()[0].detach().cos() * grads[0]};
  }
};

std::vector<bool>* seen_flags = nullptr;

// Records which inputs need a gradient.
struct AddRecordingFlags : torch::autograd::Function<AddRecordingFlags> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b) {
    seen_flags->push_back(context->needs_input_grad(0));
    seen_flags->push_back(context->needs_input_grad(1));
    context->save_for_backward({a, b});
    return a * b;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    return {grads[0] * saved[1], grads[0] * saved[0]};
  }
};

struct DoubleInPlace : torch::autograd::Function<DoubleInPlace> {
  static at::Tensor forward(AutogradContext* context, at::Tensor x) {
    x.mul_(2);
    context->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext* /*context*/, const variable_list& grads) {
    return {2 * grads[0]};
  }
};

TEST(CustomFunction, MayReadItsSavedTensorsTwice) {
  const auto runs = expect_region_same_as_plain(
      [](const at::Tensor& t) { return Cube::apply(t.sin()); }, values({1, -2, .5}));

  EXPECT_TRUE(is_close(runs[1].gradients[0], {1.147721102, -1.032237842, .6051340202}));
  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(CustomFunction, MayReadItsSavedTensorsTwiceInEachRetainedBackward) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({1, -2, .5});
    const at::Tensor y =
        region([](const at::Tensor& t) { return Cube::apply(Cube::apply(t.sin()).cos()); }, x);
    y.sum().backward({}, /*retain_graph=*/true);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 2);
}

TEST(CustomFunction, MaySaveATemporaryThatRequiresGrad) {
  expect_region_same_as_plain(
      [](const at::Tensor& t) { return SinThroughTemporary::apply(t.exp()).exp(); },
      values({1, -2, .5}));
}

TEST(CustomFunction, SeesTheSameNeedsInputGradInTheRerun) {
  std::vector<bool> flags;
  seen_flags = &flags;
  const at::Tensor x = leaf({1, -2, .5});
  const at::Tensor constant = support::values({2, 3, 4});

  const at::Tensor y = checkpoint(
      support::rerunning(),
      [=](const at::Tensor& t) { return AddRecordingFlags::apply(t.sin(), constant).exp(); }, x);
  y.sum().backward();

  EXPECT_EQ(flags, (std::vector<bool>{true, false, true, false}));
}

TEST(CustomFunction, SeesTheSameNeedsInputGradForInputsOfTheRegion) {
  std::vector<bool> flags;
  seen_flags = &flags;
  const at::Tensor frozen = support::values({1, -2, .5});
  const at::Tensor inner = leaf({1, 2, 3}) * 2;

  const at::Tensor y = checkpoint(
      support::rerunning(),
      [](const at::Tensor& a, const at::Tensor& b) { return AddRecordingFlags::apply(a, b).exp(); },
      frozen, inner);
  y.sum().backward();

  EXPECT_EQ(flags, (std::vector<bool>{false, true, false, true}));
}

TEST(CustomFunction, MayChangeAnInputInPlace) {
  expect_region_same_as_plain(
      [](const at::Tensor& t) { return DoubleInPlace::apply(t.sin()).exp(); }, values({1, -2, .5}));
}

TEST(CustomFunction, ASavedTensorThatIsChangedLaterIsAnErrorAsInPlain) {
  const auto change_after_save = [](const Nest& region) {
    const at::Tensor x = leaf({1, -2, .5});
    const at::Tensor y = region(
        [](const at::Tensor& t) {
          const at::Tensor h = t.sin();
          const at::Tensor cubed = Cube::apply(h);
          const torch::NoGradGuard no_grad;
          h.mul_(2);
          return cubed;
        },
        x);
    y.sum().backward();
  };
  const auto error = throws_modified_in_place();

  EXPECT_THAT([&] { change_after_save(Nest(0, {})); }, error);
  CheckpointOptions to_the_end;
  to_the_end.stops_early = false;
  EXPECT_THAT([&] { change_after_save(Nest(1, to_the_end)); }, error);
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace
}  // namespace reprise
