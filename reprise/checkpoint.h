// SPDX-License-Identifier: Apache-2.0
// checkpoint(fn, args...): a region whose internals are dropped after forward and recomputed in
// backward.
//
//   auto y = reprise::checkpoint([&](const at::Tensor& t) { return block->forward(t); }, x);
//
// Gradients, buffers and random streams are bit-equal to calling `fn` directly. What a region keeps
// is what its ops read and did not make (arguments, parameters, captured tensors), and what a
// policy in its options asks for. Nothing is kept, and nothing is recomputed, where nothing
// requires grad.
//
// Backward runs again those of the ops of `fn` that the values take which it needs (in each
// backward, also with retain_graph); `fn` itself runs once. With Recompute::kRerun it is `fn` that
// runs again: the region keeps its arguments, what it captures by reference must live until
// backward, and it must do what it did before; state of its own that is no tensor is declared in
// CheckpointOptions; tensors that it writes, captured or not, change once; see docs/checkpoint.md
// for what is brought back and what is not.
//
// Errors, thrown from backward: c10::Error if a tensor that the region read was changed in place
// since; ReplayMismatch if a rerun differs from the first run. A backward that enters the region
// through its results throws them before any node of the region has run; one that enters by another
// way (a tensor that leaked out through a capture), before the first node that unpacks a value.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <c10/core/GradMode.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/OptionalArrayRef.h>

#include "reprise/tape/discarded_outputs.h"
#include "reprise/tape/never_replay.h"
#include "reprise/tape/recorded_run.h"
#include "reprise/tape/region.h"
#include "reprise/tape/replay_mismatch.h"
#include "reprise/visit_tensors.h"

namespace torch::nn {
class Module;
}

namespace reprise {

using CheckpointOptions = tape::RegionOptions;
using tape::ContextFactory;
using tape::copied_state;
using tape::default_recompute;
using tape::DeterminismCheck;
using tape::discard_output;
using tape::is_recomputing;
using tape::kept_text;
using tape::KeptValue;
using tape::live_hooks;
using tape::MismatchDetails;
using tape::name;
using tape::NamePolicy;
using tape::never_replay;
using tape::OpPolicy;
using tape::Recompute;
using tape::RegionCounts;
using tape::RegionOp;
using tape::RegionStats;
using tape::ReplayMismatch;
using tape::save_any_but;
using tape::save_attention;
using tape::save_convolutions;
using tape::save_larger_than;
using tape::save_matmuls;
using tape::save_only;
using tape::save_ops;
using tape::SaveAction;
using tape::set_default_recompute;
using tape::UserState;

namespace detail {

// A module or its holder: called through `forward`.
template <class F, class... Args>
concept HasForward = requires(F& fn, Args&&... args) {
  fn->forward(std::forward<Args>(args)...);
};

template <class F, class... Args>
decltype(auto) call(F& fn, Args&&... args) {
  // First, as the holder of a Sequential claims to be invocable, but is not.
  if constexpr (HasForward<F, Args...>) {
    return fn->forward(std::forward<Args>(args)...);
  } else {
    static_assert(std::is_invocable_v<F&, Args...>,
                  "checkpoint: the callable does not take these arguments. Move-only arguments are "
                  "kept by the region and passed as const&: a callable cannot take them by value.");
    return std::invoke(fn, std::forward<Args>(args)...);
  }
}

// Types that only look at somebody else's data, which may be gone in backward; also as elements.
template <class T>
inline constexpr bool kIsBorrowed = false;
template <class Char, class Traits>
inline constexpr bool kIsBorrowed<std::basic_string_view<Char, Traits>> = true;
template <class T, std::size_t N>
inline constexpr bool kIsBorrowed<std::span<T, N>> = true;
template <class T>
inline constexpr bool kIsBorrowed<c10::ArrayRef<T>> = true;
template <class T>
inline constexpr bool kIsBorrowed<c10::OptionalArrayRef<T>> = true;
template <class T>
inline constexpr bool kIsBorrowed<std::initializer_list<T>> = true;
template <class T>
inline constexpr bool kIsBorrowed<std::reference_wrapper<T>> = std::is_base_of_v<at::Tensor, T>;
template <class T>
inline constexpr bool kIsBorrowed<T*> = std::is_base_of_v<at::Tensor, std::remove_const_t<T>>;
template <class T>
inline constexpr bool kIsBorrowed<std::optional<T>> = kIsBorrowed<T>;
template <class... Ts>
inline constexpr bool kIsBorrowed<std::tuple<Ts...>> = (kIsBorrowed<Ts> || ...);
template <class First, class Second>
inline constexpr bool kIsBorrowed<std::pair<First, Second>> =
    kIsBorrowed<First> || kIsBorrowed<Second>;
template <class T, std::size_t N>
inline constexpr bool kIsBorrowed<std::array<T, N>> = kIsBorrowed<T>;
template <class T, class Allocator>
inline constexpr bool kIsBorrowed<std::vector<T, Allocator>> = kIsBorrowed<T>;

// Whether a copy compiles. A vector of move-only elements claims that it does.
template <class T>
inline constexpr bool kIsCopyable = std::is_copy_constructible_v<T>;
template <std::ranges::range T>
requires requires { typename T::value_type; }
inline constexpr bool kIsCopyable<T> =
    std::is_copy_constructible_v<T> && kIsCopyable<typename T::value_type>;

// How an argument reaches the callable: as it was given, but move-only ones as const&, and arrays
// (string literals) as the pointers that are kept of them.
template <class Arg>
inline constexpr bool kIsMoveOnly = !kIsCopyable<std::decay_t<Arg>>;
template <class Arg>
using Passed = std::conditional_t<
    kIsMoveOnly<Arg>, const std::decay_t<Arg>&,
    std::conditional_t<std::is_array_v<std::remove_reference_t<Arg>>, std::decay_t<Arg>&&, Arg&&>>;

// Returns a local result: a value is moved out, a reference stays what it refers to.
template <class Result>
Result pass_on(std::remove_reference_t<Result>& result) {
  if constexpr (std::is_lvalue_reference_v<Result>) {
    return result;
  } else {
    return std::move(result);
  }
}

// Calls the function of a region and tells `run` its results.
template <class Run, class Call>
decltype(auto) run_region(Run& run, Call&& call) {
  using Result = decltype(call());
  if constexpr (std::is_void_v<Result>) {
    call();
    run.finish({});
  } else {
    Result result = call();
    std::vector<at::Tensor> tensors;
    const auto collect = [&](at::Tensor& tensor) { tensors.push_back(tensor); };
    if constexpr (!std::is_const_v<std::remove_reference_t<Result>>) {
      visit_value(result, collect);
    } else if constexpr (std::is_copy_constructible_v<std::remove_cvref_t<Result>>) {
      std::remove_cvref_t<Result> copy(result);
      visit_value(copy, collect);
    }
    run.finish(tensors);
    return pass_on<Result>(result);
  }
}

// The user's function and the arguments of one call, kept to call again.
template <class F, class... Args>
class KeptCall {
 public:
  using Function = std::decay_t<F>;
  static constexpr bool kIsFunctionMoveOnly = !std::is_copy_constructible_v<Function>;

  // Copies `fn` and `args` as they are before the first run; move-only ones are moved in. Moves the
  // tensors among the copies out to `tensors`.
  KeptCall(F& fn, std::tuple<Args&&...>& args, std::vector<at::Tensor>& tensors)
      : fn_(static_cast<std::conditional_t<kIsFunctionMoveOnly, Function&&, const Function&>>(fn)),
        args_(std::apply(
            [](auto&&... each) {
              return std::tuple<std::decay_t<Args>...>(
                  static_cast<std::conditional_t<kIsMoveOnly<Args>, std::decay_t<Args>&&,
                                                 const std::decay_t<Args>&>>(each)...);
            },
            args)) {
    for_each_tensor(args_, [&](at::Tensor& tensor) { tensors.push_back(std::move(tensor)); });
  }

  // The first call, with the user's own objects where they were not moved in.
  decltype(auto) first(F& fn, std::tuple<Args&&...>& args) {
    return first_with(fn, args, std::index_sequence_for<Args...>());
  }

  // Calls a copy of the function with copies of the arguments, so that each rerun finds them as the
  // first run did. What the function returns is of no interest.
  void again(std::vector<at::Tensor> tensors) {
    again_with(std::move(tensors), std::index_sequence_for<Args...>());
  }

 private:
  template <class Tuple, class Visit>
  static void for_each_tensor(Tuple& args, Visit&& visit) {
    const auto visit_one = [&]<class Arg>(Arg& arg) {
      // A move-only argument stays whole: the callable is handed this very object.
      if constexpr (kIsCopyable<Arg>) {
        visit_value(arg, visit);
      }
    };
    std::apply([&](auto&... each) { (visit_one(each), ...); }, args);
  }

  template <std::size_t... Is>
  decltype(auto) first_with(F& fn, std::tuple<Args&&...>& args,
                            std::index_sequence<Is...> /*indices*/) {
    if constexpr (kIsFunctionMoveOnly) {
      return call(fn_, first_argument<Is>(args)...);
    } else {
      return call(fn, first_argument<Is>(args)...);
    }
  }

  template <std::size_t I>
  decltype(auto) first_argument(std::tuple<Args&&...>& args) {
    using Arg = std::tuple_element_t<I, std::tuple<Args...>>;
    if constexpr (kIsMoveOnly<Arg>) {
      return std::as_const(std::get<I>(args_));
    } else {
      return static_cast<Arg&&>(std::get<I>(args));
    }
  }

  template <std::size_t... Is>
  void again_with(std::vector<at::Tensor> tensors, std::index_sequence<Is...> /*indices*/) {
    std::tuple<Copied<Args>...> copies(std::get<Is>(args_)...);
    auto next = tensors.begin();
    for_each_tensor(copies, [&](at::Tensor& tensor) { tensor = std::move(*next++); });
    tensors.clear();  // the function decides how long its arguments live
    if constexpr (kIsFunctionMoveOnly) {
      static_cast<void>(call(fn_, static_cast<Passed<Args>>(std::get<Is>(copies))...));
    } else {
      Function function(fn_);
      static_cast<void>(call(function, static_cast<Passed<Args>>(std::get<Is>(copies))...));
    }
  }

  template <class Arg>
  using Copied = std::conditional_t<kIsMoveOnly<Arg>, const std::decay_t<Arg>&, std::decay_t<Arg>>;

  Function fn_;
  std::tuple<std::decay_t<Args>...> args_;
};

}  // namespace detail

// Calls `fn(args...)` once as a region and returns its result, of its own type.
//
// `fn`: any callable, a torch module holder, or a shared_ptr to a module. Arguments and results:
// any mix of values; tensors inside are found by visit_tensors. Move-only arguments are passed as
// const&, since a region that reruns keeps them. Throws what `fn` throws; the state of the thread
// is then as it was before.
template <class F, class... Args>
decltype(auto) checkpoint(const CheckpointOptions& options, F&& fn, Args&&... args) {
  static_assert(
      (!detail::kIsBorrowed<std::decay_t<Args>> && ...),
      "checkpoint: a view (ArrayRef, string_view, span, initializer_list, a C array of tensors "
      "or a pointer to one) may be dead in backward: pass the vector, array, string or tensor "
      "itself");
  static_assert(!std::is_base_of_v<torch::nn::Module, std::decay_t<F>>,
                "checkpoint: pass the module's holder, a shared_ptr to it, or a lambda");
  static_assert(
      !std::is_nothrow_invocable_v<std::decay_t<F>&, detail::Passed<Args>...>,
      "checkpoint: the function must not be noexcept: a rerun leaves it by an exception as "
      "soon as it has all it needs");
  if (!c10::GradMode::is_enabled()) {
    const std::shared_ptr<void> context =
        options.forward_context ? options.forward_context() : nullptr;
    return detail::call(fn, static_cast<detail::Passed<Args>>(args)...);
  }
  if (options.recompute == Recompute::kReplay) {
    tape::RecordedRun run(options);
    return detail::run_region(run, [&]() -> decltype(auto) {
      return detail::call(fn, static_cast<detail::Passed<Args>>(args)...);
    });
  }
  std::tuple<Args&&...> given(std::forward<Args>(args)...);
  std::vector<at::Tensor> tensors;
  const auto kept = std::make_shared<detail::KeptCall<F, Args...>>(fn, given, tensors);
  tape::RegionRun run(options, tensors,
                      [kept](std::vector<at::Tensor> again) { kept->again(std::move(again)); });
  tensors.clear();
  return detail::run_region(run, [&]() -> decltype(auto) { return kept->first(fn, given); });
}

template <class F, class... Args>
requires(!std::is_same_v<std::decay_t<F>, CheckpointOptions>) decltype(auto)
    checkpoint(F&& fn, Args&&... args) {
  return checkpoint(CheckpointOptions(), std::forward<F>(fn), std::forward<Args>(args)...);
}

// What a region of `fn(args...)` that replays would keep from forward to backward, found by running
// it once, with all that it does: buffers are written, random numbers drawn. Nothing if backward
// needs no value from inside. kept_text() prints the list.
template <class F, class... Args>
std::vector<KeptValue> saved_values(const CheckpointOptions& options, F&& fn, Args&&... args) {
  CheckpointOptions uncounted = options;
  uncounted.stats.reset();
  const c10::AutoGradMode with_grad(true);
  tape::RecordedRun run(uncounted);
  const auto results = [&] {
    if constexpr (std::is_void_v<decltype(detail::call(
                      fn, static_cast<detail::Passed<Args>>(args)...))>) {
      detail::call(fn, static_cast<detail::Passed<Args>>(args)...);
      return 0;
    } else {
      return detail::call(fn, static_cast<detail::Passed<Args>>(args)...);
    }
  }();
  static_cast<void>(results);
  return run.kept_values();
}

template <class F, class... Args>
requires(!std::is_same_v<std::decay_t<F>, CheckpointOptions>) std::vector<KeptValue> saved_values(
    F&& fn, Args&&... args) {
  return saved_values(CheckpointOptions(), std::forward<F>(fn), std::forward<Args>(args)...);
}

}  // namespace reprise
