// SPDX-License-Identifier: Apache-2.0
#include "tests/support/training.h"

#include <cstring>
#include <memory>
#include <utility>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace reprise::support {
namespace {

template <class Fn, class Arg>
auto nested(const CheckpointOptions& options, int depth, const Fn& fn, const Arg& arg)
    -> decltype(fn(arg)) {
  if (depth == 0) {
    return fn(arg);
  }
  CheckpointOptions own = options;
  if (depth > 1) {
    own.name = "outer";
  }
  return checkpoint(
      own, [options, depth, fn](const Arg& inner) { return nested(options, depth - 1, fn, inner); },
      arg);
}

Tensors copies_of(const Tensors& tensors) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors) {
    copies.push_back(tensor.defined() ? tensor.detach().clone() : at::Tensor());
  }
  return copies;
}

// Callbacks carry no data of their own.
thread_local CountedOps* counted_ops = nullptr;

std::unique_ptr<at::ObserverContext> count_op(const at::RecordFunction& function) {
  if (counted_ops != nullptr) {
    counted_ops->see(function.name());
  }
  return nullptr;
}

struct Settings {
  bool has_grad = c10::GradMode::is_enabled();
  bool has_autocast = at::autocast::is_autocast_enabled(at::kCPU);
  bool caches_casts = at::autocast::is_autocast_cache_enabled();
  at::ScalarType autocast_dtype = at::autocast::get_autocast_dtype(at::kCPU);
  at::ScalarType default_dtype = c10::get_default_dtype_as_scalartype();
  bool operator==(const Settings&) const = default;
};

}  // namespace

at::Tensor values(std::initializer_list<double> flat, c10::IntArrayRef sizes) {
  const at::Tensor tensor = torch::tensor(c10::ArrayRef<double>(flat), torch::kDouble);
  return sizes.empty() ? tensor : tensor.view(sizes);
}

at::Tensor leaf(std::initializer_list<double> flat, c10::IntArrayRef sizes) {
  return values(flat, sizes).requires_grad_();
}

at::Tensor ramp(c10::IntArrayRef sizes) {
  return torch::linspace(-1, 1, c10::multiply_integers(sizes), torch::kDouble).view(sizes);
}

at::Tensor ramp_leaf(c10::IntArrayRef sizes) { return ramp(sizes).requires_grad_(); }

bool bitwise_equal(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined() || !b.defined()) {
    return a.defined() == b.defined();
  }
  if (a.sizes() != b.sizes() || a.dtype() != b.dtype() || a.layout() != b.layout()) {
    return false;
  }
  if (a.layout() != c10::kStrided) {
    return bitwise_equal(a.to_dense(), b.to_dense());
  }
  const at::Tensor left = a.detach().resolve_conj().resolve_neg().contiguous();
  const at::Tensor right = b.detach().resolve_conj().resolve_neg().contiguous();
  return left.nbytes() == 0 ||
         std::memcmp(left.const_data_ptr(), right.const_data_ptr(), left.nbytes()) == 0;
}

bool bitwise_equal(const Tensors& a, const Tensors& b) {
  bool is_equal = a.size() == b.size();
  for (std::size_t i = 0; is_equal && i < a.size(); ++i) {
    is_equal = bitwise_equal(a[i], b[i]);
  }
  return is_equal;
}

bool is_close(const at::Tensor& tensor, std::initializer_list<double> expected, double relative) {
  return tensor.defined() && tensor.numel() == static_cast<std::int64_t>(expected.size()) &&
         torch::allclose(tensor.detach().flatten().to(torch::kDouble), values(expected), relative,
                         relative);
}

at::Tensor default_generator_state() {
  return at::detail::getDefaultCPUGenerator().get_state().clone();
}

CountedOps::CountedOps(const std::string& name)
    : outer_(std::exchange(counted_ops, this)),
      name_(name),
      handle_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&count_op).scopes({at::RecordScope::FUNCTION}))) {}

CountedOps::~CountedOps() {
  at::removeCallback(handle_);
  counted_ops = outer_;
}

at::Tensor Nest::operator()(const std::function<at::Tensor(const at::Tensor&)>& fn,
                            const at::Tensor& input) const {
  return nested(options_, depth_, fn, input);
}

Tensors Nest::operator()(const std::function<Tensors(const Tensors&)>& fn,
                         const Tensors& inputs) const {
  return nested(options_, depth_, fn, inputs);
}

CheckpointOptions replaying(CheckpointOptions options) {
  options.recompute = Recompute::kReplay;
  return options;
}

CheckpointOptions rerunning(CheckpointOptions options) {
  options.recompute = Recompute::kRerun;
  return options;
}

Run run_step(const Body& body, int depth, const CheckpointOptions& options, MemoryBudget* budget) {
  CheckpointOptions counting = options;
  if (counting.name.empty()) {
    counting.name = "region";
  }
  counting.stats = std::make_shared<RegionStats>();
  const Settings before;
  torch::manual_seed(1);
  Run run;
  {
    const Nest region(depth, counting);
    const auto run_budgeted = [&] {
      const auto scope = budget->step();
      return body(region);
    };
    const Step step = budget != nullptr ? run_budgeted() : body(region);
    run.outputs = copies_of(step.outputs);
    for (const at::Tensor& each : step.leaves) {
      run.gradients.push_back(each.grad().defined() ? each.grad().detach().clone() : at::Tensor());
    }
    run.buffers = copies_of(step.buffers);
  }
  run.generator_state = default_generator_state();
  run.counts = counting.stats->by_name()[counting.name];
  EXPECT_EQ(live_hooks(), 0);
  EXPECT_FALSE(is_recomputing());
  EXPECT_TRUE(before == Settings());
  return run;
}

namespace {

void expect_equal(const Run& run, const Run& plain) {
  EXPECT_TRUE(bitwise_equal(run.outputs, plain.outputs));
  EXPECT_TRUE(bitwise_equal(run.gradients, plain.gradients))
      << "got " << run.gradients << "\nplain " << plain.gradients;
  EXPECT_TRUE(bitwise_equal(run.buffers, plain.buffers));
  EXPECT_TRUE(bitwise_equal(run.generator_state, plain.generator_state));
}

void expect_same_under(MemoryBudget budget, const Body& body, const CheckpointOptions& options,
                       const Run& plain) {
  for (int step = 0; step < 3; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    expect_equal(run_step(body, 0, options, &budget), plain);
  }
  SCOPED_TRACE("with a region in the step");
  expect_equal(run_step(body, 1, rerunning(options), &budget), plain);
  expect_equal(run_step(body, 1, replaying(options), &budget), plain);
}

}  // namespace

MemoryBudget smallest_budget() {
  return MemoryBudget::minimum({.iterations = 5, .is_hard = false});
}

std::vector<Run> expect_same_as_plain(const Body& body, const CheckpointOptions& options) {
  std::vector<Run> runs = {run_step(body, 0, options)};
  for (int depth = 1; depth <= 3; ++depth) {
    SCOPED_TRACE(std::to_string(depth) + " regions deep");
    runs.push_back(run_step(body, depth, rerunning(options)));
    expect_equal(runs.back(), runs[0]);
  }
  if (default_recompute() == Recompute::kRerun) {
    return runs;  // the same test runs again, with regions that replay
  }
  for (int depth = 1; depth <= 3; ++depth) {
    SCOPED_TRACE(std::to_string(depth) + " replayed regions deep");
    expect_equal(run_step(body, depth, replaying(options)), runs[0]);
  }
  {
    SCOPED_TRACE("with as little as possible");
    expect_same_under(smallest_budget(), body, options, runs[0]);
  }
  {
    SCOPED_TRACE("with a byte");
    expect_same_under(MemoryBudget(1, {.iterations = 5, .is_hard = false}), body, options, runs[0]);
  }
  return runs;
}

std::vector<Run> expect_region_same_as_plain(const std::function<at::Tensor(const at::Tensor&)>& fn,
                                             const at::Tensor& input,
                                             const CheckpointOptions& options) {
  return expect_same_as_plain(
      [&](const Nest& region) {
        const at::Tensor x = input.clone().requires_grad_();
        const at::Tensor y = region(fn, x);
        y.sum().backward();
        return Step{.outputs = {y}, .leaves = {x}};
      },
      options);
}

void expect_modified_in_place(const std::function<void(const Nest& region)>& body) {
  for (int depth = 0; depth <= 2; ++depth) {
    SCOPED_TRACE(std::to_string(depth) + " regions deep");
    EXPECT_THAT([&] { body(Nest(depth, rerunning())); }, throws_modified_in_place());
    EXPECT_THAT([&] { body(Nest(depth, replaying())); }, throws_modified_in_place());
  }
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace reprise::support
