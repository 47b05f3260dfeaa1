// SPDX-License-Identifier: Apache-2.0
// What training a transformer takes in memory on one rank, by formula, before anything runs.
//
// The activations are those of Korthikanti et al. 2022 (arXiv 2205.05198), "Reducing Activation
// Recomputation in Large Transformer Models", sections 4 and 5, with bytes per element as
// parameters; embedding, output layer and weights follow Megatron-LM. For s positions, b sequences,
// h hidden units, f units between the two feed-forward layers, a heads, v tokens, t tensor-parallel
// ranks, e bytes per element and m bytes per entry of a dropout mask, one layer keeps for one
// micro-batch:
//
//   per layer, divided by t         e sb(4h + 2f)     queries, keys, values, input of the output
//                                                     projection; input of the activation function
//                                                     and of the second feed-forward layer
//   per layer, attention scores     (2e + m) a s^2 b  softmax output, dropout mask, dropout output
//   (divided by t)
//   per layer, on every rank        e 4sbh + m 2sbh   inputs of both layer norms, of the attention
//   (divided by t only by sequence                    and of the feed-forward; two dropout masks
//   parallelism)
//
// With e = 2, m = 1, f = 4h: sbh(34 + 5as/h) for t = 1, sbh(10 + 24/t + 5as/(ht)) under tensor
// parallelism, sbh/t (34 + 5as/h) with sequence parallelism.
// Left out as small: the mean and variance that a layer norm keeps (8sb), and buffers of libraries.
#pragma once

#include <cstdint>

namespace reprise::plan {

// What backward recomputes in each layer.
enum class LayerRecompute {
  kNone,
  kSelective,  // the core of the attention: scores, softmax, dropout; queries, keys, values are
               // kept
  kFull,       // all but the layer's input: e sbh, divided by t only by sequence parallelism
};

enum class AttentionKernel {
  kStoresScores,  // attention written out: the three tensors of a s^2 b elements above
  // Fused (flash attention): no a s^2 b term is left. Queries, keys, values and the output (which
  // is the input of the output projection) remain as above, and the kernel keeps the log-sum-exp of
  // each row of scores: 4asb/t bytes, always float. Dropout masks are drawn again from a seed.
  kRecomputesScores,
};

// Bytes per parameter.
struct ParameterCost {
  std::int64_t weight_bytes = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t optimizer_bytes = 0;
};

// 18 bytes: a half-precision weight, a float gradient, and the optimizer's float copy of the weight
// with two moments (Megatron-LM).
inline constexpr ParameterCost kMixedPrecisionAdam{2, 4, 12};
// 16 bytes: weight, gradient and two moments, all float.
inline constexpr ParameterCost kFloatAdamW{4, 4, 8};

struct TransformerRun {
  // The model: biases everywhere, two layer norms per layer and one behind the last.
  std::int64_t layers = 1;
  std::int64_t hidden = 1;
  std::int64_t heads = 1;
  std::int64_t ffn_hidden = 0;  // 0: 4 * hidden
  std::int64_t vocabulary = 1;
  bool learns_positions = true;  // a table of `sequence` position embeddings
  bool ties_embeddings = true;   // the output layer's weight is the token embedding
  bool has_dropout = true;       // off: no masks, and softmax output is all that scores keep

  // One micro-batch on one data-parallel rank.
  std::int64_t sequence = 1;
  std::int64_t micro_batch = 1;  // sequences

  std::int64_t element_bytes = 2;  // 2: fp16, bf16; 4: float
  // 1: masks of bool, as CUDA's dropout keeps. libtorch's dropout on the CPU keeps a mask of the
  // input's own type: element_bytes.
  std::int64_t mask_bytes = 1;

  LayerRecompute recompute = LayerRecompute::kNone;
  AttentionKernel attention = AttentionKernel::kStoresScores;

  std::int64_t tensor_parallel = 1;    // ranks over which heads and feed-forward units are split
  bool sequence_parallel = false;      // the rest of a layer is split along the sequence over them
  std::int64_t pipeline_parallel = 1;  // stages of layers / pipeline_parallel layers each
  std::int64_t stage = 0;              // the stage that is asked about; the first holds most
  std::int64_t interleave = 1;         // model chunks per stage; 1: plain 1F1B
  std::int64_t micro_batches = 0;      // per step; 0: enough to fill the pipeline
  std::int64_t data_parallel = 1;
  bool shards_optimizer = false;  // optimizer state split over data-parallel ranks

  ParameterCost parameter_cost = kMixedPrecisionAdam;
};

// All for one rank of the stage, at the moment that most micro-batches are in flight.
struct TransformerMemory {
  std::int64_t layer_bytes = 0;  // kept by one layer for one micro-batch

  // A layer counts once per micro-batch that went forward through it and not yet backward. On the
  // first stage: `layers` in 1F1B, layers * (1 + (p - 1) / (p * interleave)) when interleaved.
  std::int64_t layers_in_flight = 0;
  // Micro-batches with activations on the stage, rounded up where some chunks hold one more.
  std::int64_t micro_batches_in_flight = 0;

  std::int64_t layers_bytes = 0;  // layers_in_flight * layer_bytes: the paper's number
  // First stage, per micro-batch in flight: token and position ids (8 bytes each, 8sb together as
  // in Megatron-LM's estimate) and the dropout mask behind the embedding.
  std::int64_t embedding_bytes = 0;
  // Last stage, one micro-batch: inputs of the last layer norm and of the output layer, and float
  // logits: 2e sbh + 4sbv/t.
  std::int64_t output_bytes = 0;
  std::int64_t activation_bytes = 0;  // the three together
  // What the layer whose backward runs has brought back. It comes on top of activation_bytes; the
  // paper leaves it out.
  std::int64_t recompute_bytes = 0;

  std::int64_t parameters = 0;       // of the whole model
  std::int64_t rank_parameters = 0;  // that this rank holds
  std::int64_t weight_bytes = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t optimizer_bytes = 0;

  std::int64_t total_bytes = 0;  // activations, recompute_bytes, weights, gradients, optimizer
};

// Throws std::invalid_argument if a number is out of range, if heads, ffn_hidden or (with
// sequence_parallel) sequence are no multiple of tensor_parallel, hidden of heads, layers of
// pipeline_parallel * interleave, or if the result may exceed an std::int64_t.
TransformerMemory estimate_transformer(const TransformerRun& run);

}  // namespace reprise::plan
