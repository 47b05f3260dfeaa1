// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/transformer_memory.h"

#include <algorithm>
#include <string>

#include "reprise/plan/checks.h"
#include "reprise/plan/units.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kIdsBytes = 8;  // token and position ids: Megatron-LM's 8sb
constexpr double kLimitBytes = 9e18;   // below the largest std::int64_t
constexpr const char* kPlace = "estimate_transformer";

std::int64_t ffn_hidden(const TransformerRun& run) {
  return run.ffn_hidden == 0 ? 4 * run.hidden : run.ffn_hidden;
}

// No field above 2^31, so that products of two never overflow; the estimate itself is bounded in
// doubles before it is computed in integers.
void check_range(const char* name, std::int64_t value, std::int64_t minimum) {
  require_at_least(kPlace, name, value, minimum);
  require_at_most(kPlace, name, value, std::int64_t{1} << 31);
}

void check_fields(const TransformerRun& run) {
  check_range("layers", run.layers, 1);
  check_range("hidden", run.hidden, 1);
  check_range("heads", run.heads, 1);
  check_range("ffn_hidden", run.ffn_hidden, 0);
  check_range("vocabulary", run.vocabulary, 1);
  check_range("sequence", run.sequence, 1);
  check_range("micro_batch", run.micro_batch, 1);
  check_range("element_bytes", run.element_bytes, 1);
  check_range("mask_bytes", run.mask_bytes, 0);
  check_range("tensor_parallel", run.tensor_parallel, 1);
  check_range("pipeline_parallel", run.pipeline_parallel, 1);
  check_range("stage", run.stage, 0);
  require_at_most(kPlace, "stage", run.stage, run.pipeline_parallel - 1);
  check_range("interleave", run.interleave, 1);
  check_range("micro_batches", run.micro_batches, 0);
  check_range("data_parallel", run.data_parallel, 1);
  check_range("weight_bytes", run.parameter_cost.weight_bytes, 0);
  check_range("gradient_bytes", run.parameter_cost.gradient_bytes, 0);
  check_range("optimizer_bytes", run.parameter_cost.optimizer_bytes, 0);
}

void check_splits(const TransformerRun& run) {
  require_multiple_of_heads(kPlace, "hidden", run.hidden, run.heads);
  require_multiple(kPlace, "heads", run.heads, "tensor_parallel", run.tensor_parallel);
  require_multiple(kPlace, "ffn_hidden", ffn_hidden(run), "tensor_parallel", run.tensor_parallel);
  if (run.sequence_parallel) {
    require_multiple(kPlace, "sequence", run.sequence, "tensor_parallel", run.tensor_parallel);
  }
  require_multiple(kPlace, "layers", run.layers, "pipeline_parallel * interleave",
                   run.pipeline_parallel * run.interleave);
}

// A generous bound on every sum that follows, without the divisions.
void check_size(const TransformerRun& run) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double layers = real(run.layers) + 1;
  const double hidden = real(run.hidden);
  const double ffn = real(ffn_hidden(run));
  const double entry_bytes = real(std::max(run.element_bytes + run.mask_bytes, kIdsBytes));
  const double tokens = real(run.sequence) * real(run.micro_batch);
  const double layer_bytes =
      tokens * entry_bytes * (8 * hidden + 2 * ffn + 2 * real(run.heads) * real(run.sequence) + 1);
  const double activations =
      3 * layers * layer_bytes + tokens * entry_bytes * (2 * hidden + real(run.vocabulary));
  const double parameters = layers * hidden * (4 * hidden + 2 * ffn + 16) + layers * ffn +
                            hidden * (2 * real(run.vocabulary) + real(run.sequence) + 2);
  const double bytes_per_parameter = 1 + real(run.parameter_cost.weight_bytes) +
                                     real(run.parameter_cost.gradient_bytes) +
                                     real(run.parameter_cost.optimizer_bytes);
  require_small_sizes(kPlace, activations + parameters * bytes_per_parameter, kLimitBytes,
                      "9e18 bytes");
}

// Model chunks (layers / (p * interleave) layers each) whose activations the stage holds when its
// first backward begins: the warm-up forwards of the schedule and the one after them.
std::int64_t chunks_in_flight(const TransformerRun& run) {
  const std::int64_t later_stages = run.pipeline_parallel - run.stage - 1;
  const std::int64_t chunks =
      run.interleave == 1 ? later_stages + 1
                          : 2 * later_stages + (run.interleave - 1) * run.pipeline_parallel + 1;
  return run.micro_batches == 0 ? chunks : std::min(chunks, run.micro_batches * run.interleave);
}

struct LayerParts {
  std::int64_t input_bytes = 0;   // what full recomputation keeps
  std::int64_t core_bytes = 0;    // what selective recomputation brings back
  std::int64_t others_bytes = 0;  // the rest
};

LayerParts layer_parts(const TransformerRun& run) {
  const std::int64_t split = run.tensor_parallel;
  // Sequence parallelism divides by t what tensor parallelism leaves on every rank.
  const std::int64_t rank_tokens =
      (run.sequence_parallel ? run.sequence / split : run.sequence) * run.micro_batch;
  const std::int64_t tokens = run.sequence * run.micro_batch;
  const std::int64_t element = run.element_bytes;
  const std::int64_t mask = run.has_dropout ? run.mask_bytes : 0;
  const std::int64_t score = run.has_dropout ? 2 * element + mask : element;
  const std::int64_t rank_heads = run.heads / split;

  LayerParts parts;
  parts.input_bytes = element * rank_tokens * run.hidden;
  parts.core_bytes = run.attention == AttentionKernel::kStoresScores
                         ? score * rank_heads * run.sequence * tokens
                         : kFloatBytes * rank_heads * tokens;
  parts.others_bytes = (3 * element + 2 * mask) * rank_tokens * run.hidden +
                       element * tokens * (4 * run.hidden + 2 * ffn_hidden(run)) / split;
  return parts;
}

void estimate_activations(const TransformerRun& run, TransformerMemory& memory) {
  const LayerParts parts = layer_parts(run);
  const std::int64_t whole_layer = parts.input_bytes + parts.core_bytes + parts.others_bytes;
  switch (run.recompute) {
    case LayerRecompute::kNone:
      break;
    case LayerRecompute::kSelective:
      memory.recompute_bytes = parts.core_bytes;
      break;
    case LayerRecompute::kFull:
      memory.recompute_bytes = whole_layer - parts.input_bytes;
      break;
  }
  memory.layer_bytes = whole_layer - memory.recompute_bytes;

  const std::int64_t chunks = chunks_in_flight(run);
  memory.layers_in_flight = chunks * (run.layers / (run.pipeline_parallel * run.interleave));
  memory.micro_batches_in_flight = ceil_div(chunks, run.interleave);
  memory.layers_bytes = memory.layers_in_flight * memory.layer_bytes;

  const std::int64_t tokens = run.sequence * run.micro_batch;
  const std::int64_t rank_tokens = run.sequence_parallel ? tokens / run.tensor_parallel : tokens;
  if (run.stage == 0) {
    const std::int64_t mask = run.has_dropout ? run.mask_bytes : 0;
    memory.embedding_bytes =
        memory.micro_batches_in_flight * (kIdsBytes * tokens + mask * rank_tokens * run.hidden);
  }
  if (run.stage == run.pipeline_parallel - 1) {
    memory.output_bytes = 2 * run.element_bytes * rank_tokens * run.hidden +
                          kFloatBytes * tokens * ceil_div(run.vocabulary, run.tensor_parallel);
  }
  memory.activation_bytes = memory.layers_bytes + memory.embedding_bytes + memory.output_bytes;
}

// Parameters of one layer on one of `split` tensor-parallel ranks. Weights and the biases in front
// of a split are divided; the biases behind it and the layer norms are on every rank.
std::int64_t layer_parameters(const TransformerRun& run, std::int64_t split) {
  const std::int64_t h = run.hidden;
  const std::int64_t f = ffn_hidden(run);
  const std::int64_t divided = (4 * h * h + 3 * h) + (2 * h * f + f);
  const std::int64_t on_every_rank = h + h + 4 * h;
  return divided / split + on_every_rank;
}

void estimate_parameters(const TransformerRun& run, TransformerMemory& memory) {
  const std::int64_t h = run.hidden;
  const std::int64_t positions = run.learns_positions ? run.sequence * h : 0;
  const std::int64_t last_norm = 2 * h;
  const std::int64_t tokens = run.vocabulary * h;
  memory.parameters = run.layers * layer_parameters(run, 1) + tokens + positions + last_norm +
                      (run.ties_embeddings ? 0 : tokens);

  const std::int64_t rank_tokens = ceil_div(run.vocabulary, run.tensor_parallel) * h;
  const bool is_first = run.stage == 0;
  const bool is_last = run.stage == run.pipeline_parallel - 1;
  memory.rank_parameters =
      run.layers / run.pipeline_parallel * layer_parameters(run, run.tensor_parallel);
  if (is_first) {
    memory.rank_parameters += rank_tokens + positions;
  }
  if (is_last) {
    // Tied weights that lie on two stages are two copies.
    memory.rank_parameters += last_norm + (run.ties_embeddings && is_first ? 0 : rank_tokens);
  }

  const ParameterCost& cost = run.parameter_cost;
  memory.weight_bytes = memory.rank_parameters * cost.weight_bytes;
  memory.gradient_bytes = memory.rank_parameters * cost.gradient_bytes;
  memory.optimizer_bytes = ceil_div(memory.rank_parameters * cost.optimizer_bytes,
                                    run.shards_optimizer ? run.data_parallel : 1);
}

}  // namespace

TransformerMemory estimate_transformer(const TransformerRun& run) {
  check_fields(run);
  check_splits(run);
  check_size(run);
  TransformerMemory memory;
  estimate_activations(run, memory);
  estimate_parameters(run, memory);
  memory.total_bytes = memory.activation_bytes + memory.recompute_bytes + memory.weight_bytes +
                       memory.gradient_bytes + memory.optimizer_bytes;
  return memory;
}

}  // namespace reprise::plan
