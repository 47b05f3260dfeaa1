// SPDX-License-Identifier: Apache-2.0
// visit_tensors(value, visit): calls `visit(at::Tensor&)` for every tensor inside a value.
//
// This is how checkpoint finds the tensors among arguments and results. Known: tensors, optional,
// pair, tuple, array, vector, map, torch::OrderedDict and every other range that gives references
// to its elements, nested to any depth. Numbers, strings and types that it does not know hold no
// tensors of interest: they are copied and passed on whole. So are c10::List and c10::Dict, which
// give no references, and whose copies share their elements.
//
// A type of yours takes part by a function of this name beside it, found by argument-dependent
// lookup:
//
//   struct State { at::Tensor hidden, cell; int step = 0; };
//   template <class Visit>
//   void visit_tensors(State& state, Visit&& visit) { visit(state.hidden); visit(state.cell); }
#pragma once

#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include <ATen/core/Tensor.h>

namespace torch {
template <class Key, class Value>
class OrderedDict;
}

namespace reprise {
namespace detail {

struct AnyVisitor {
  void operator()(at::Tensor& tensor) const;
};

// Found first, so that the calls below look further by argument-dependent lookup alone.
void visit_tensors() = delete;

template <class T>
concept HasOwnVisit = requires(T& value, const AnyVisitor& visit) {
  visit_tensors(value, visit);
};

template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
}
&&!std::ranges::range<T>;

// Not text, and not a path, whose elements are paths again.
template <class T>
concept RangeOfValues =
    std::ranges::range<T> && !std::is_arithmetic_v<std::ranges::range_value_t<T>> &&
    !std::is_same_v<std::ranges::range_value_t<T>, T> &&
    std::is_lvalue_reference_v<std::ranges::range_reference_t<T>>;

template <class T, class Visit>
void visit_value(T& value, Visit&& visit);

template <class T, class Visit>
void visit_element(T& element, Visit& visit) {
  // Keys of a map and elements of a set are const: nothing to put back there.
  if constexpr (!std::is_const_v<T>) {
    visit_value(element, visit);
  }
}

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Its elements are of a class of its own, not pairs.
template <class T>
inline constexpr bool kIsOrderedDict = false;
template <class Key, class Value>
inline constexpr bool kIsOrderedDict<torch::OrderedDict<Key, Value>> = true;

template <class T, class Visit>
void visit_value(T& value, Visit&& visit) {
  if constexpr (std::is_base_of_v<at::Tensor, T>) {
    visit(static_cast<at::Tensor&>(value));
  } else if constexpr (HasOwnVisit<T>) {
    visit_tensors(value, visit);
  } else if constexpr (kIsOptional<T>) {
    if (value) {
      visit_element(*value, visit);
    }
  } else if constexpr (kIsOrderedDict<T>) {
    for (auto& item : value) {
      visit_element(item.value(), visit);
    }
  } else if constexpr (TupleLike<T>) {
    std::apply([&](auto&... elements) { (visit_element(elements, visit), ...); }, value);
  } else if constexpr (RangeOfValues<T>) {
    for (auto& element : value) {
      visit_element(element, visit);
    }
  }
}

struct VisitTensors {
  template <class T, class Visit>
  void operator()(T& value, Visit&& visit) const {
    visit_value(value, visit);
  }
};

}  // namespace detail

// An object, not a function template: it must not be found where a type's own function is looked
// for.
inline constexpr detail::VisitTensors visit_tensors{};  // NOLINT(readability-identifier-naming)

}  // namespace reprise
