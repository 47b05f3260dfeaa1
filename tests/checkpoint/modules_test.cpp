// SPDX-License-Identifier: Apache-2.0
// Modules that are regions: apply_checkpointing and Checkpointed (P40).
#include "reprise/checkpoint_modules.h"

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Tensors;
using testing::ElementsAre;
using testing::ElementsAreArray;

torch::nn::Sequential make_net() {
  torch::manual_seed(3);
  return torch::nn::Sequential(torch::nn::Linear(4, 4), torch::nn::BatchNorm1d(4),
                               torch::nn::Dropout(.5), torch::nn::Linear(4, 4), torch::nn::Tanh());
}

at::Tensor net_input() { return torch::linspace(-1, 1, 12).view({3, 4}).requires_grad_(); }

std::vector<std::string> names_of(const torch::nn::Module& module) {
  std::vector<std::string> names;
  for (const auto& each : module.named_parameters()) {
    names.push_back(each.key());
  }
  for (const auto& each : module.named_buffers()) {
    names.push_back(each.key());
  }
  return names;
}

Tensors train_step(torch::nn::Sequential net) {
  torch::manual_seed(5);
  const at::Tensor x = net_input();
  net->zero_grad();
  const at::Tensor y = net->forward(x);
  y.square().sum().backward();
  Tensors all = {y.detach(), x.grad()};
  for (const at::Tensor& each : net->parameters()) {
    all.push_back(each.grad().clone());
  }
  for (const at::Tensor& each : net->buffers()) {
    all.push_back(each.clone());
  }
  return all;
}

CheckpointOptions counting(const std::shared_ptr<RegionStats>& stats) {
  CheckpointOptions options = support::rerunning();
  options.stats = stats;
  return options;
}

TEST(Modules, ASequentialOfRegionsTrainsAsPlain) {
  const auto stats = std::make_shared<RegionStats>();
  torch::nn::Sequential net = make_net();
  EXPECT_EQ(apply_checkpointing(net, 1, counting(stats)), 5);

  EXPECT_TRUE(bitwise_equal(train_step(net), train_step(make_net())));
  EXPECT_GE(stats->total().reruns, 4);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Modules, EveryNthLayerOrTheChosenOnesBecomeRegions) {
  torch::nn::Sequential net = make_net();
  EXPECT_EQ(apply_checkpointing(net, 2), 3);

  torch::nn::Sequential chosen = make_net();
  const auto is_linear = [](std::int64_t, const torch::nn::Module& layer) {
    return layer.as<torch::nn::Linear>() != nullptr;
  };
  EXPECT_EQ(apply_checkpointing(chosen, is_linear), 2);
  EXPECT_EQ(apply_checkpointing(chosen, is_linear), 0);  // regions already
  EXPECT_THROW(apply_checkpointing(chosen, 0), std::invalid_argument);
  EXPECT_TRUE(bitwise_equal(train_step(chosen), train_step(make_net())));
}

TEST(Modules, NamesInTheStateDictStayAsTheyWere) {
  torch::nn::Sequential net = make_net();
  apply_checkpointing(net, 1);

  EXPECT_THAT(names_of(*net), ElementsAreArray(names_of(*make_net())));
}

TEST(Modules, SavedStateLoadsAcrossWrappingAndUnwrapping) {
  torch::nn::Sequential wrapped = make_net();
  apply_checkpointing(wrapped, 1);
  train_step(wrapped);
  std::stringstream file;
  torch::save(wrapped, file);

  torch::nn::Sequential plain = make_net();
  plain->apply([](torch::nn::Module& module) {
    for (at::Tensor& each : module.parameters(/*recurse=*/false)) {
      const torch::NoGradGuard no_grad;
      each.zero_();
    }
  });
  torch::load(plain, file);
  EXPECT_TRUE(bitwise_equal(plain->parameters(), wrapped->parameters()));
  EXPECT_TRUE(bitwise_equal(plain->buffers(), wrapped->buffers()));

  std::stringstream back;
  torch::save(plain, back);
  torch::nn::Sequential again = make_net();
  apply_checkpointing(again, 2);
  torch::load(again, back);
  EXPECT_TRUE(bitwise_equal(again->parameters(), plain->parameters()));
}

TEST(Modules, WrappingCanBeUndone) {
  const auto stats = std::make_shared<RegionStats>();
  torch::nn::Sequential net = make_net();
  apply_checkpointing(net, 1, counting(stats));

  EXPECT_EQ(remove_checkpointing(net), 5);
  EXPECT_TRUE(bitwise_equal(train_step(net), train_step(make_net())));
  EXPECT_EQ(stats->total().regions, 0);
  EXPECT_THAT(names_of(*net), ElementsAreArray(names_of(*make_net())));
}

TEST(Modules, ToTrainAndEvalReachTheWrappedLayers) {
  torch::nn::Sequential net = make_net();
  apply_checkpointing(net, 1);

  net->to(torch::kDouble);
  net->eval();

  EXPECT_FALSE(net->children()[2]->is_training());
  EXPECT_EQ(net->parameters()[0].scalar_type(), torch::kDouble);
  EXPECT_EQ(net->forward(net_input().to(torch::kDouble)).scalar_type(), torch::kDouble);
}

TEST(Modules, ACloneIsAModelOfItsOwnWithTheSameRegions) {
  const auto stats = std::make_shared<RegionStats>();
  torch::nn::Sequential net = make_net();
  apply_checkpointing(net, 1, counting(stats));

  torch::nn::Sequential copy(std::dynamic_pointer_cast<torch::nn::SequentialImpl>(net->clone()));
  const Tensors of_copy = train_step(copy);

  EXPECT_GT(stats->total().reruns, 0);
  EXPECT_TRUE(bitwise_equal(of_copy, train_step(make_net())));
  EXPECT_FALSE(net->parameters()[0].grad().defined());
  EXPECT_THAT(names_of(*copy), ElementsAreArray(names_of(*net)));
}

TEST(Modules, ACloneNumbersItsLayersAsAPlainOneDoes) {
  torch::nn::Sequential net({{"first", torch::nn::Linear(4, 4)}, {"last", torch::nn::Tanh()}});
  const auto plain_copy = net->clone();
  EXPECT_EQ(apply_checkpointing(net, 1), 2);

  EXPECT_THAT(names_of(*net), ElementsAre("first.weight", "first.bias"));
  EXPECT_THAT(names_of(*net->clone()), ElementsAre("0.weight", "0.bias"));
  EXPECT_THAT(names_of(*plain_copy), ElementsAre("0.weight", "0.bias"));
}

// --- Checkpointed<M>. ---

struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(std::int64_t width)
      : linear(register_module("linear", torch::nn::Linear(width, width))),
        norm(register_module("norm", torch::nn::BatchNorm1d(width))) {}
  at::Tensor forward(const at::Tensor& t) {
    ++calls;
    return norm(linear(t)).tanh();
  }
  torch::nn::Linear linear;
  torch::nn::BatchNorm1d norm;
  int calls = 0;
};
TORCH_MODULE(Block);

template <class Holder>
Tensors block_step(Holder block) {
  torch::manual_seed(5);
  const at::Tensor x = net_input();
  const at::Tensor y = block(x);
  y.square().sum().backward();
  Tensors all = {y.detach(), x.grad()};
  for (const at::Tensor& each : block->parameters()) {
    all.push_back(each.grad().clone());
  }
  for (const at::Tensor& each : block->buffers()) {
    all.push_back(each.clone());
  }
  return all;
}

TEST(Modules, ACheckpointedModuleTrainsAsItsBase) {
  torch::manual_seed(3);
  Checkpointed<Block> region(4);
  region->checkpoint_options().recompute = Recompute::kRerun;
  torch::manual_seed(3);
  Block plain(4);

  EXPECT_TRUE(bitwise_equal(block_step(region), block_step(plain)));
  EXPECT_EQ(region->calls, 2);
  EXPECT_EQ(plain->calls, 1);
  EXPECT_THAT(names_of(*region), ElementsAreArray(names_of(*plain)));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Modules, ACheckpointedModuleMayBeAChildOfAnother) {
  struct Model : torch::nn::Module {
    Model() : block(register_module("block", Checkpointed<BlockImpl>(4))) {}
    Checkpointed<BlockImpl> block;
  };
  Model model;

  EXPECT_THAT(model.named_parameters().keys(),
              ElementsAre("block.linear.weight", "block.linear.bias", "block.norm.weight",
                          "block.norm.bias"));
  EXPECT_EQ(model.block(net_input()).sizes(), (std::vector<std::int64_t>{3, 4}));
}

TEST(Modules, ACheckpointedTorchModuleTakesItsOwnOptions) {
  const auto stats = std::make_shared<RegionStats>();
  Checkpointed<torch::nn::Linear> layer(torch::nn::LinearOptions(4, 4).bias(false));
  layer->checkpoint_options().stats = stats;
  layer->checkpoint_options().name = "linear";
  layer->checkpoint_options().recompute = Recompute::kRerun;

  layer(net_input()).sum().backward();

  EXPECT_EQ(stats->by_name().at("linear").reruns, 1);
  EXPECT_EQ(layer->parameters().size(), 1u);
}

}  // namespace
}  // namespace reprise
