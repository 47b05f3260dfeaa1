// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/transformer_memory.h"

#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

using testing::HasSubstr;

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

// s = 4, b = 1, h = 8, a = 2, f = 4h: sbh = 32 and a s^2 b = 32.
TransformerRun tiny() {
  return {.layers = 1, .hidden = 8, .heads = 2, .vocabulary = 10, .sequence = 4};
}

// The message that estimate_transformer throws for tiny() after `change`.
std::string message_of(const std::function<void(TransformerRun&)>& change) {
  TransformerRun run = tiny();
  change(run);
  try {
    estimate_transformer(run);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing thrown";
}

TransformerMemory tiny_memory(const std::function<void(TransformerRun&)>& change) {
  TransformerRun run = tiny();
  change(run);
  return estimate_transformer(run);
}

// The models of Korthikanti et al. 2022, table 3, and what their formulas give on the first stage.
struct PaperRow {
  const char* name;
  TransformerRun run;
  double interleave_factor;
  double none_gib;  // without tensor parallelism
  double tensor_gib;
  double sequence_gib;
  double selective_gib;
  double sequence_selective_gib;
  double full_gib;
  double best_percent;  // sequence parallel and selective, of tensor parallel alone
};

TransformerRun paper_run(std::int64_t heads, std::int64_t hidden, std::int64_t layers,
                         std::int64_t pipeline_parallel, std::int64_t interleave,
                         std::int64_t micro_batch) {
  return {.layers = layers,
          .hidden = hidden,
          .heads = heads,
          .vocabulary = 51200,
          .sequence = 2048,
          .micro_batch = micro_batch,
          .tensor_parallel = 8,
          .pipeline_parallel = pipeline_parallel,
          .interleave = interleave};
}

void PrintTo(const PaperRow& row, std::ostream* out) { *out << row.name; }

// Half of the last printed digit; a little more, for 29.25 is printed as 29.2.
constexpr double kPrinted = 0.0501;

class PaperTable : public testing::TestWithParam<PaperRow> {
 protected:
  static double layers_gib(TransformerRun run) {
    return gib(estimate_transformer(run).layers_bytes);
  }
};

TEST_P(PaperTable, GivesThePrintedGibOfEveryConfiguration) {
  TransformerRun none = GetParam().run;
  none.tensor_parallel = 1;
  const TransformerRun tensor = GetParam().run;
  TransformerRun sequence = tensor;
  sequence.sequence_parallel = true;
  TransformerRun selective = tensor;
  selective.recompute = LayerRecompute::kSelective;
  TransformerRun sequence_selective = selective;
  sequence_selective.sequence_parallel = true;
  TransformerRun full = tensor;
  full.recompute = LayerRecompute::kFull;

  EXPECT_NEAR(layers_gib(none), GetParam().none_gib, kPrinted);
  EXPECT_NEAR(layers_gib(tensor), GetParam().tensor_gib, kPrinted);
  EXPECT_NEAR(layers_gib(sequence), GetParam().sequence_gib, kPrinted);
  EXPECT_NEAR(layers_gib(selective), GetParam().selective_gib, kPrinted);
  EXPECT_NEAR(layers_gib(sequence_selective), GetParam().sequence_selective_gib, kPrinted);
  EXPECT_NEAR(layers_gib(full), GetParam().full_gib, kPrinted);
  EXPECT_NEAR(100 * layers_gib(sequence_selective) / layers_gib(tensor), GetParam().best_percent,
              kPrinted);
}

TEST_P(PaperTable, MultipliesTheLayersOfTheFirstStageByTheInterleaveFactor) {
  const TransformerMemory memory = estimate_transformer(GetParam().run);

  EXPECT_NEAR(
      static_cast<double>(memory.layers_in_flight) / static_cast<double>(GetParam().run.layers),
      GetParam().interleave_factor, 0.0005);
}

INSTANTIATE_TEST_SUITE_P(Korthikanti, PaperTable,
                         testing::Values(PaperRow{"B22", paper_run(64, 6144, 48, 1, 1, 4), 1.000,
                                                  316.5, 59.2, 39.6, 29.2, 9.6, 4.5, 16.1},
                                         PaperRow{"B175", paper_run(96, 12288, 96, 8, 3, 1), 1.292,
                                                  331.3, 66.8, 41.4, 37.8, 12.4, 5.8, 18.5},
                                         PaperRow{"B530", paper_run(128, 20480, 105, 35, 3, 1),
                                                  1.324, 532.1, 114.0, 66.5, 70.6, 23.1, 10.9,
                                                  20.2},
                                         PaperRow{"T1", paper_run(160, 25600, 128, 64, 2, 1), 1.492,
                                                  914.0, 195.8, 114.2, 121.2, 39.6, 18.7, 20.2}),
                         [](const auto& info) { return info.param.name; });

TEST(LayerBytes, KeepsThirtyFourUnitsAndTheScoresInHalfPrecision) {
  EXPECT_EQ(estimate_transformer(tiny()).layer_bytes, 34 * 32 + 5 * 32);
}

TEST(LayerBytes, DividesAllButTheReplicatedPartUnderTensorParallelism) {
  EXPECT_EQ(tiny_memory([](auto& run) { run.tensor_parallel = 2; }).layer_bytes,
            10 * 32 + 24 * 32 / 2 + 5 * 32 / 2);
}

TEST(LayerBytes, DividesEverythingUnderSequenceParallelism) {
  EXPECT_EQ(tiny_memory([](auto& run) {
              run.tensor_parallel = 2;
              run.sequence_parallel = true;
            }).layer_bytes,
            (34 * 32 + 5 * 32) / 2);
}

TEST(LayerBytes, DropsTheScoresWhenRecomputedSelectively) {
  const TransformerMemory memory =
      tiny_memory([](auto& run) { run.recompute = LayerRecompute::kSelective; });

  EXPECT_EQ(memory.layer_bytes, 34 * 32);
  EXPECT_EQ(memory.recompute_bytes, 5 * 32);
}

TEST(LayerBytes, KeepsTheInputAloneWhenRecomputedFully) {
  const TransformerMemory memory =
      tiny_memory([](auto& run) { run.recompute = LayerRecompute::kFull; });

  EXPECT_EQ(memory.layer_bytes, 2 * 32);
  EXPECT_EQ(memory.recompute_bytes, 34 * 32 + 5 * 32 - 2 * 32);
}

TEST(LayerBytes, SplitsTheKeptInputUnderSequenceParallelismOnly) {
  EXPECT_EQ(tiny_memory([](auto& run) {
              run.recompute = LayerRecompute::kFull;
              run.tensor_parallel = 2;
            }).layer_bytes,
            2 * 32);
  EXPECT_EQ(tiny_memory([](auto& run) {
              run.recompute = LayerRecompute::kFull;
              run.tensor_parallel = 2;
              run.sequence_parallel = true;
            }).layer_bytes,
            2 * 32 / 2);
}

TEST(LayerBytes, KeepsOnlyTheLogSumExpWithAFusedAttentionKernel) {
  const auto fused = [](TransformerRun& run) {
    run.attention = AttentionKernel::kRecomputesScores;
  };

  // 4 bytes for each of 2 heads and 4 positions.
  EXPECT_EQ(tiny_memory(fused).layer_bytes, 34 * 32 + 4 * 2 * 4);
  EXPECT_EQ(tiny_memory([&](auto& run) {
              fused(run);
              run.tensor_parallel = 2;
              run.sequence_parallel = true;
            }).layer_bytes,
            (34 * 32 + 4 * 2 * 4) / 2);
  EXPECT_EQ(tiny_memory([&](auto& run) {
              fused(run);
              run.recompute = LayerRecompute::kSelective;
            }).layer_bytes,
            34 * 32);
}

TEST(LayerBytes, FollowsTheBytesOfElementsAndMasks) {
  // e = 4, m = 1: split 4 (4 + 8), replicated 4 * 4 + 2, scores 2 * 4 + 1.
  EXPECT_EQ(tiny_memory([](auto& run) { run.element_bytes = 4; }).layer_bytes,
            48 * 32 + 18 * 32 + 9 * 32);
  // m = 4 as on the CPU: replicated 4 * 4 + 2 * 4, scores 3 * 4.
  EXPECT_EQ(tiny_memory([](auto& run) { run.element_bytes = run.mask_bytes = 4; }).layer_bytes,
            48 * 32 + 24 * 32 + 12 * 32);
}

TEST(LayerBytes, KeepsNoMasksWithoutDropout) {
  EXPECT_EQ(tiny_memory([](auto& run) { run.has_dropout = false; }).layer_bytes, 32 * 32 + 2 * 32);
}

TEST(LayerBytes, FollowsTheFeedForwardSize) {
  // f = h: two tensors of sbh elements where 4h has eight.
  EXPECT_EQ(tiny_memory([](auto& run) { run.ffn_hidden = 8; }).layer_bytes,
            (34 - 16 + 4) * 32 + 5 * 32);
}

TEST(Activations, EqualMegatronsEstimateOnOneRank) {
  const TransformerMemory memory = tiny_memory([](auto& run) {
    run.layers = 3;
    run.recompute = LayerRecompute::kSelective;
  });

  // L sbh (18 + 4 f/h), 8sb + sbh, 4sbh (1 + v/h).
  EXPECT_EQ(memory.layers_bytes, 3 * 34 * 32);
  EXPECT_EQ(memory.embedding_bytes, 8 * 4 + 32);
  EXPECT_EQ(memory.output_bytes, 4 * 32 + 4 * 4 * 10);
  EXPECT_EQ(memory.activation_bytes, 3264 + 64 + 288);
}

TEST(Activations, HoldOneMicroBatchPerLaterStageAndOneMore) {
  const auto stage = [](std::int64_t index) {
    return tiny_memory([index](auto& run) {
      run.layers = 8;
      run.pipeline_parallel = 4;
      run.stage = index;
    });
  };

  EXPECT_EQ(stage(0).micro_batches_in_flight, 4);
  EXPECT_EQ(stage(0).layers_in_flight, 8);
  EXPECT_EQ(stage(1).layers_in_flight, 6);
  EXPECT_EQ(stage(3).micro_batches_in_flight, 1);
  EXPECT_EQ(stage(3).layers_in_flight, 2);
}

TEST(Activations, HoldNoMoreMicroBatchesThanAStepHas) {
  const TransformerMemory memory = tiny_memory([](auto& run) {
    run.layers = 8;
    run.pipeline_parallel = 4;
    run.micro_batches = 3;
  });

  EXPECT_EQ(memory.micro_batches_in_flight, 3);
  EXPECT_EQ(memory.layers_in_flight, 6);
}

TEST(Activations, HoldMoreChunksWhenInterleaved) {
  const auto stage = [](std::int64_t index, std::int64_t micro_batches) {
    return tiny_memory([=](auto& run) {
      run.layers = 8;
      run.pipeline_parallel = 4;
      run.interleave = 2;
      run.stage = index;
      run.micro_batches = micro_batches;
    });
  };

  // 8 (1 + 3 / 8) layers: 4 micro-batches through 2 chunks of one layer, and 3 more through one.
  EXPECT_EQ(stage(0, 0).layers_in_flight, 11);
  EXPECT_EQ(stage(0, 0).micro_batches_in_flight, 6);
  EXPECT_EQ(stage(3, 0).layers_in_flight, 5);
  EXPECT_EQ(stage(0, 4).layers_in_flight, 8);
}

TEST(Activations, BelongToTheEmbeddingOnTheFirstStageAndTheOutputOnTheLast) {
  const auto stage = [](std::int64_t index) {
    return tiny_memory([index](auto& run) {
      run.layers = 3;
      run.pipeline_parallel = 3;
      run.stage = index;
    });
  };

  EXPECT_EQ(stage(0).embedding_bytes, 3 * (8 * 4 + 32));
  EXPECT_EQ(stage(0).output_bytes, 0);
  EXPECT_EQ(stage(1).embedding_bytes, 0);
  EXPECT_EQ(stage(1).output_bytes, 0);
  EXPECT_EQ(stage(2).embedding_bytes, 0);
  EXPECT_EQ(stage(2).output_bytes, 4 * 32 + 4 * 4 * 10);
}

TEST(Parameters, AreThoseOfGpt2) {
  const TransformerRun gpt2{
      .layers = 12, .hidden = 768, .heads = 12, .vocabulary = 50257, .sequence = 1024};

  EXPECT_EQ(estimate_transformer(gpt2).parameters, 124439808);
  EXPECT_EQ(estimate_transformer(gpt2).rank_parameters, 124439808);
}

// A layer of tiny(): 12 h^2 + 13 h = 872.
TEST(Parameters, CountPositionsAndAnOutputLayerOfItsOwnWhenTheModelHasThem) {
  EXPECT_EQ(estimate_transformer(tiny()).parameters, 872 + 80 + 32 + 16);
  EXPECT_EQ(tiny_memory([](auto& run) { run.learns_positions = false; }).parameters, 872 + 80 + 16);
  EXPECT_EQ(tiny_memory([](auto& run) { run.ties_embeddings = false; }).parameters,
            872 + 80 + 32 + 16 + 80);
}

TEST(Parameters, AreSplitOverTensorParallelRanks) {
  // 824 of 872 are split; 11 tokens are padded to 6 per rank.
  EXPECT_EQ(tiny_memory([](auto& run) {
              run.tensor_parallel = 2;
              run.vocabulary = 11;
            }).rank_parameters,
            412 + 48 + 6 * 8 + 32 + 16);
}

TEST(Parameters, AreSplitOverStagesWithTiedWeightsOnBothEnds) {
  const auto stage = [](std::int64_t index) {
    return tiny_memory([index](auto& run) {
      run.layers = 3;
      run.pipeline_parallel = 3;
      run.stage = index;
    });
  };

  EXPECT_EQ(stage(0).parameters, 3 * 872 + 80 + 32 + 16);
  EXPECT_EQ(stage(0).rank_parameters, 872 + 80 + 32);
  EXPECT_EQ(stage(1).rank_parameters, 872);
  EXPECT_EQ(stage(2).rank_parameters, 872 + 16 + 80);
}

TEST(Parameters, TakeEighteenBytesEachWithMixedPrecisionAdam) {
  const TransformerMemory memory = estimate_transformer(tiny());

  EXPECT_EQ(memory.weight_bytes, 2 * 1000);
  EXPECT_EQ(memory.gradient_bytes, 4 * 1000);
  EXPECT_EQ(memory.optimizer_bytes, 12 * 1000);
}

TEST(Parameters, TakeSixAndAShareOfTwelveBytesWithAShardedOptimizer) {
  const TransformerMemory memory = tiny_memory([](auto& run) {
    run.data_parallel = 4;
    run.shards_optimizer = true;
  });

  EXPECT_EQ(memory.weight_bytes + memory.gradient_bytes, 6 * 1000);
  EXPECT_EQ(memory.optimizer_bytes, 12 * 1000 / 4);
}

TEST(Parameters, KeepTheWholeOptimizerStateOnEachDataParallelRankUnlessSharded) {
  EXPECT_EQ(tiny_memory([](auto& run) { run.data_parallel = 4; }).optimizer_bytes, 12 * 1000);
}

TEST(Parameters, TakeSixteenBytesEachWithFloatAdamW) {
  const TransformerMemory memory = tiny_memory([](auto& run) { run.parameter_cost = kFloatAdamW; });

  EXPECT_EQ(memory.weight_bytes, 4 * 1000);
  EXPECT_EQ(memory.gradient_bytes, 4 * 1000);
  EXPECT_EQ(memory.optimizer_bytes, 8 * 1000);
}

TEST(EstimateTransformer, AddsUpTheParts) {
  const TransformerMemory memory =
      tiny_memory([](auto& run) { run.recompute = LayerRecompute::kSelective; });

  // One layer, embedding and output; the scores recomputed; 1000 parameters.
  EXPECT_EQ(memory.total_bytes, (1088 + 64 + 288) + 160 + 18 * 1000);
}

TEST(EstimateTransformer, RejectsNumbersOutOfRange) {
  EXPECT_EQ(message_of([](auto& run) { run.layers = 0; }),
            "estimate_transformer: layers must be at least 1, got 0");
  EXPECT_EQ(message_of([](auto& run) { run.sequence = -4; }),
            "estimate_transformer: sequence must be at least 1, got -4");
  EXPECT_EQ(message_of([](auto& run) { run.stage = 1; }),
            "estimate_transformer: stage must be at most 0, got 1");
  EXPECT_EQ(message_of([](auto& run) { run.mask_bytes = -1; }),
            "estimate_transformer: mask_bytes must be at least 0, got -1");
  EXPECT_EQ(message_of([](auto& run) { run.vocabulary = std::int64_t{1} << 40; }),
            "estimate_transformer: vocabulary must be at most 2147483648, got 1099511627776");
}

TEST(EstimateTransformer, RejectsWhatCannotBeSplit) {
  EXPECT_EQ(
      message_of([](auto& run) { run.heads = 3; }),
      "estimate_transformer: hidden must be a multiple of heads (3), got 8: 2 heads would do");
  EXPECT_EQ(message_of([](auto& run) { run.tensor_parallel = 4; }),
            "estimate_transformer: heads must be a multiple of tensor_parallel (4), got 2");
  EXPECT_EQ(message_of([](auto& run) {
              run.tensor_parallel = 2;
              run.ffn_hidden = 9;
            }),
            "estimate_transformer: ffn_hidden must be a multiple of tensor_parallel (2), got 9");
  EXPECT_EQ(message_of([](auto& run) {
              run.tensor_parallel = 2;
              run.sequence_parallel = true;
              run.sequence = 5;
            }),
            "estimate_transformer: sequence must be a multiple of tensor_parallel (2), got 5");
  EXPECT_EQ(
      message_of([](auto& run) {
        run.layers = 6;
        run.pipeline_parallel = 2;
        run.interleave = 2;
      }),
      "estimate_transformer: layers must be a multiple of pipeline_parallel * interleave (4), "
      "got 6");
}

TEST(EstimateTransformer, RejectsAnEstimateBeyondTheLargestInteger) {
  EXPECT_THAT(message_of([](auto& run) { run.sequence = std::int64_t{1} << 31; }),
              HasSubstr("sizes must be small enough for at most 9e18 bytes"));
}

}  // namespace
}  // namespace reprise::plan
