// SPDX-License-Identifier: Apache-2.0
// Ops that have kernels of their own on kTapeKey are seen as through the fallback: a frame that may
// change arguments has every op boxed.
#include "reprise/tape/op_kernels.h"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/tape/frame.h"

namespace reprise::tape {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Tensors by shape and type, for some are not initialised.
std::string text_of(const c10::IValue& value) {
  std::ostringstream out;
  if (value.isTensor()) {
    if (!value.toTensor().defined()) {
      return "undefined";
    }
    out << value.toTensor().sizes() << value.toTensor().dtype();
  } else if (value.isList()) {
    out << value.type()->repr_str();
    for (const c10::IValue& element : value.toListRef()) {
      out << ' ' << text_of(element);
    }
  } else {
    out << value.tagKind() << ' ' << value;
  }
  return out.str();
}

class WritingFrame : public Frame {
 public:
  std::unique_ptr<torch::autograd::SavedVariableHooks> make_hooks() override { return nullptr; }
  void before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                 OpArguments arguments) override {
    std::ostringstream out;
    out << op.operator_name() << ' ' << keys << " (";
    for (const c10::IValue& argument : arguments) {
      out << text_of(argument) << ", ";
    }
    lines_.push_back(out.str());
  }
  void after_op(const c10::OperatorHandle& op, OpArguments results) override {
    std::ostringstream out;
    out << op.operator_name() << " ->";
    for (const c10::IValue& result : results) {
      out << ' ' << text_of(result);
    }
    lines_.push_back(out.str());
  }
  bool is_rerun() const override { return false; }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

class BoxingFrame : public WritingFrame {
 public:
  bool changes_arguments() const override { return true; }
};

class ViewlessFrame final : public WritingFrame {
 public:
  bool sees_views() const override { return false; }
};

// Triples what add() adds.
class TriplingFrame final : public BoxingFrame {
 public:
  void change_arguments(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    if (op.schema().name() == "aten::add") {
      stack.back() = 3;
    }
  }
};

template <class SeeingFrame, class Function>
std::vector<std::string> lines_of(Function&& function) {
  SeeingFrame frame;
  const FrameScope scope(frame);
  function();
  return frame.lines();
}

// Lists, optional tensors that are there and that are not, several results, strings, numbers,
// generators, types, writes.
std::vector<at::Tensor> run_many_ops() {
  torch::manual_seed(1);
  const at::Tensor x = torch::randn({2, 4, 6, 6});
  const at::Tensor weight = torch::ones({4});
  const at::Tensor image = torch::conv2d(x, torch::ones({4, 4, 3, 3}), weight, 1, 1).relu_();
  const at::Tensor pooled = torch::max_pool2d(torch::cat({image, x}, 1), 2);
  const auto [normed, mean, deviation] =
      at::native_batch_norm(x, weight, {}, torch::zeros({4}), torch::ones({4}), true, 0.1, 1e-5);
  const at::Tensor rows = torch::layer_norm(pooled.mean({2, 3}), {8});
  const at::Tensor dropped = torch::dropout(torch::gelu(rows, "tanh"), 0.5, true);
  const std::vector<at::Tensor> halves = dropped.split(4, 1);
  const at::Tensor sum = halves[0].add(halves[1], 2).to(torch::kDouble).pow(2).sum(1);
  at::Tensor filled = torch::zeros({2}, torch::kDouble).add_(sum).mul_(0.5);
  filled = filled.masked_fill(filled > 1, 0).unsqueeze(0);
  const at::Tensor loss =
      torch::nll_loss(torch::log_softmax(rows, 1), torch::tensor({1, 2}, torch::kLong));
  const at::Tensor words = torch::embedding(rows, torch::tensor({1, 0, 1}, torch::kLong));
  return {normed, mean, deviation, torch::where(filled > 0, filled, sum), loss, words.clone()};
}

TEST(OpKernels, FramesSeeAnOpAsIfItWereBoxed) {
  const std::vector<std::string> typed = lines_of<WritingFrame>(&run_many_ops);

  EXPECT_EQ(typed, lines_of<BoxingFrame>(&run_many_ops));
  EXPECT_THAT(typed, Contains(HasSubstr("aten::cat -> [2, 8, 6, 6]float")));
  EXPECT_THAT(typed,
              Contains(HasSubstr("aten::split.Tensor -> List[Tensor] [2, 4]float [2, 4]float")));
}

TEST(OpKernels, GiveTheResultsOfPlainOps) {
  const std::vector<at::Tensor> plain = run_many_ops();
  WritingFrame frame;
  const FrameScope scope(frame);

  const std::vector<at::Tensor> seen = run_many_ops();

  ASSERT_EQ(seen.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_TRUE(at::equal(seen[i], plain[i]));
  }
}

TEST(OpKernels, WhatAnOpWritesIsReturnedItself) {
  at::Tensor x = torch::ones({2});
  WritingFrame frame;
  const FrameScope scope(frame);

  const at::Tensor& written = at::_ops::add__Scalar::call(x, 1, 1);

  EXPECT_EQ(&written, &x);
}

TEST(OpKernels, AnOpThatThrowsIsNotShownAgain) {
  WritingFrame frame;
  const FrameScope scope(frame);
  const at::Tensor x = torch::zeros({2, 3});

  EXPECT_THROW(x.mm(x), c10::Error);
  x.neg();

  ASSERT_EQ(frame.lines().size(), 5);  // two of each other op
  EXPECT_THAT(frame.lines()[2], HasSubstr("aten::mm"));
  EXPECT_THAT(frame.lines()[3], HasSubstr("aten::neg"));
}

TEST(OpKernels, OpsThatAKernelCallsAreNotSeen) {
  const std::vector<std::string> lines = lines_of<WritingFrame>([] { torch::ones({2}); });

  EXPECT_THAT(lines, ElementsAre(HasSubstr("aten::ones"), HasSubstr("aten::ones")));
}

TEST(OpKernels, AFrameMayChangeArguments) {
  const at::Tensor x = torch::ones({2});
  TriplingFrame frame;
  const FrameScope scope(frame);

  const at::Tensor sum = x.add(x);

  EXPECT_TRUE(at::equal(sum, torch::full({2}, 4)));
}

TEST(OpKernels, ViewsAreShownToFramesThatWantThem) {
  const at::Tensor x = torch::ones({2, 3});
  const auto run = [&x] { return x.t().unsqueeze(0).split(1, 1); };

  EXPECT_THAT(lines_of<ViewlessFrame>(run), IsEmpty());
  EXPECT_EQ(lines_of<WritingFrame>(run), lines_of<BoxingFrame>(run));
  EXPECT_EQ(lines_of<WritingFrame>(run).size(), 6);
}

TEST(OpKernels, AnInnerFrameDoesNotKeepOpsFromAnOuterOne) {
  WritingFrame outer;
  const FrameScope outer_scope(outer);

  const std::vector<std::string> inner = lines_of<ViewlessFrame>([] { torch::zeros({2}).t(); });

  EXPECT_EQ(inner.size(), 4);  // the outer frame wants views
  EXPECT_EQ(outer.lines(), inner);
}

}  // namespace
}  // namespace reprise::tape
