// SPDX-License-Identifier: Apache-2.0
#include "reprise/visit_tensors.h"

#include <array>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace reprise {

namespace elsewhere {

struct State {
  at::Tensor hidden = {};
  std::vector<at::Tensor> layers = {};
  at::Tensor hidden_from_visitors = {};
  int step = 0;
};

template <class Visit>
void visit_tensors(State& state, Visit&& visit) {
  visit(state.hidden);
  for (at::Tensor& layer : state.layers) {
    visit(layer);
  }
}

// A range that wants to be visited its own way.
struct Stack : std::vector<at::Tensor> {
  using std::vector<at::Tensor>::vector;
};

template <class Visit>
void visit_tensors(Stack& stack, Visit&& visit) {
  visit(stack.back());
}

// A type that passes on what it holds to the general function.
template <class T>
struct Wrapper {
  T inside;
};

template <class T, class Visit>
void visit_tensors(Wrapper<T>& wrapper, Visit&& visit) {
  reprise::visit_tensors(wrapper.inside, visit);
}

struct Plain {
  at::Tensor tensor;
};

}  // namespace elsewhere

namespace {

using elsewhere::Plain;
using elsewhere::Stack;
using elsewhere::State;
using elsewhere::Wrapper;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

at::Tensor number(double value) { return torch::tensor(value); }

// The values of the tensors found, in order; undefined ones are 0.
template <class T>
std::vector<double> found_in(T value) {
  std::vector<double> found;
  visit_tensors(value, [&](at::Tensor& tensor) {
    found.push_back(tensor.defined() ? tensor.item<double>() : 0);
  });
  return found;
}

TEST(VisitTensors, FindsATensorAndAnUndefinedOne) {
  EXPECT_THAT(found_in(number(1)), ElementsAre(1));
  EXPECT_THAT(found_in(at::Tensor()), ElementsAre(0));
}

TEST(VisitTensors, FindsWhatIsInAnOptional) {
  EXPECT_THAT(found_in(std::optional(number(1))), ElementsAre(1));
  EXPECT_THAT(found_in(std::optional<at::Tensor>()), IsEmpty());
}

TEST(VisitTensors, FindsTheElementsOfTuplesPairsAndArrays) {
  EXPECT_THAT(found_in(std::tuple(number(1), 7, number(2), std::string("x"))), ElementsAre(1, 2));
  EXPECT_THAT(found_in(std::pair(number(1), number(2))), ElementsAre(1, 2));
  EXPECT_THAT(found_in(std::array<at::Tensor, 2>{number(1), number(2)}), ElementsAre(1, 2));
}

TEST(VisitTensors, FindsTheElementsOfRangesInTheirOrder) {
  EXPECT_THAT(found_in(std::vector{number(2), number(1)}), ElementsAre(2, 1));
  EXPECT_THAT(found_in(std::list{number(2), number(1)}), ElementsAre(2, 1));
}

TEST(VisitTensors, FindsTheValuesOfMaps) {
  EXPECT_THAT(found_in(std::map<std::string, at::Tensor>{{"b", number(2)}, {"a", number(1)}}),
              ElementsAre(1, 2));
  EXPECT_THAT(found_in(std::unordered_map<int, at::Tensor>{{3, number(2)}, {1, number(1)}}),
              UnorderedElementsAre(1, 2));
}

TEST(VisitTensors, FindsTheValuesOfAnOrderedDictInTheirOrder) {
  EXPECT_THAT(
      found_in(torch::OrderedDict<std::string, at::Tensor>{{"b", number(2)}, {"a", number(1)}}),
      ElementsAre(2, 1));
  EXPECT_THAT(found_in(torch::OrderedDict<std::string, std::vector<at::Tensor>>{
                  {"x", {number(1), number(2)}}}),
              ElementsAre(1, 2));
}

TEST(VisitTensors, PassesOverListsAndDictsThatShareTheirElementsWithTheirCopies) {
  c10::List<at::Tensor> list;
  list.push_back(number(1));
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("x", number(1));

  EXPECT_THAT(found_in(list), IsEmpty());
  EXPECT_THAT(found_in(dict), IsEmpty());
}

TEST(VisitTensors, LooksIntoNestedContainers) {
  using Inner = std::vector<std::optional<at::Tensor>>;
  const std::map<std::string, std::tuple<Inner, at::Tensor>> nested = {
      {"x", {{number(1), std::nullopt, number(2)}, number(3)}}};

  EXPECT_THAT(found_in(nested), ElementsAre(1, 2, 3));
}

TEST(VisitTensors, FindsNothingInNumbersTextAndPaths) {
  EXPECT_THAT(found_in(1), IsEmpty());
  EXPECT_THAT(found_in(std::string("text")), IsEmpty());
  EXPECT_THAT(found_in(std::filesystem::path("a/b")), IsEmpty());
  EXPECT_THAT(found_in(std::vector<bool>{true}), IsEmpty());
  EXPECT_THAT(found_in(std::vector<std::string>{"a"}), IsEmpty());
  EXPECT_THAT(found_in(std::set<int>{1}), IsEmpty());
  EXPECT_THAT(found_in(std::make_shared<int>(1)), IsEmpty());
}

TEST(VisitTensors, FindsNothingInTypesThatItDoesNotKnow) {
  EXPECT_THAT(found_in(Plain{number(1)}), IsEmpty());
}

TEST(VisitTensors, CallsATypesOwnFunction) {
  EXPECT_THAT(found_in(State{.hidden = number(1),
                             .layers = {number(2), number(3)},
                             .hidden_from_visitors = number(4)}),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(found_in(Stack{number(1), number(2)}), ElementsAre(2));
}

TEST(VisitTensors, CallsATypesOwnFunctionInsideContainers) {
  const std::vector<std::pair<int, State>> states = {{1, {.hidden = number(1)}},
                                                     {2, {.hidden = number(2)}}};

  EXPECT_THAT(found_in(states), ElementsAre(1, 2));
}

TEST(VisitTensors, MayBeCalledByATypesOwnFunction) {
  EXPECT_THAT(found_in(Wrapper<std::vector<at::Tensor>>{{number(1), number(2)}}),
              ElementsAre(1, 2));
  EXPECT_THAT(found_in(Wrapper<Wrapper<State>>{{{.hidden = number(3)}}}), ElementsAre(3));
}

TEST(VisitTensors, FindsParametersOfTypesDerivedFromTensor) {
  struct Weight : at::Tensor {
    using at::Tensor::Tensor;
  };
  Weight weight{number(5)};

  EXPECT_THAT(found_in(weight), ElementsAre(5));
}

TEST(VisitTensors, LetsTheVisitorReplaceWhatItFinds) {
  std::map<std::string, std::vector<at::Tensor>> nested = {{"x", {number(1), number(2)}}};

  visit_tensors(nested, [](at::Tensor& tensor) { tensor = tensor + 10; });

  EXPECT_THAT(found_in(nested), ElementsAre(11, 12));
}

}  // namespace
}  // namespace reprise
