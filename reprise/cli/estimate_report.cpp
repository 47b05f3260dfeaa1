// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/estimate_report.h"

#include <nlohmann/json.hpp>

#include "reprise/cli/number_text.h"
#include "reprise/cli/text_table.h"

namespace reprise::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string counted(std::int64_t number, const std::string& noun) {
  return grouped_text(number) + " " + noun + (number == 1 ? "" : "s");
}

Json json_of(const plan::TransformerRun& run) {
  return {{"layers", run.layers},
          {"hidden", run.hidden},
          {"heads", run.heads},
          {"ffn_hidden", run.ffn_hidden == 0 ? 4 * run.hidden : run.ffn_hidden},
          {"vocabulary", run.vocabulary},
          {"learns_positions", run.learns_positions},
          {"ties_embeddings", run.ties_embeddings},
          {"has_dropout", run.has_dropout},
          {"sequence", run.sequence},
          {"micro_batch", run.micro_batch},
          {"element_bytes", run.element_bytes},
          {"mask_bytes", run.mask_bytes},
          {"tensor_parallel", run.tensor_parallel},
          {"sequence_parallel", run.sequence_parallel},
          {"pipeline_parallel", run.pipeline_parallel},
          {"stage", run.stage},
          {"interleave", run.interleave},
          {"micro_batches", run.micro_batches},
          {"data_parallel", run.data_parallel},
          {"shards_optimizer", run.shards_optimizer}};
}

Json json_of(const Estimate& estimate) {
  const plan::TransformerMemory& memory = estimate.memory;
  return {{"attention", estimate.attention},
          {"recompute", estimate.recompute},
          {"layer_bytes", memory.layer_bytes},
          {"layers_in_flight", memory.layers_in_flight},
          {"micro_batches_in_flight", memory.micro_batches_in_flight},
          {"layers_bytes", memory.layers_bytes},
          {"embedding_bytes", memory.embedding_bytes},
          {"output_bytes", memory.output_bytes},
          {"activation_bytes", memory.activation_bytes},
          {"recompute_bytes", memory.recompute_bytes},
          {"parameters", memory.parameters},
          {"rank_parameters", memory.rank_parameters},
          {"weight_bytes", memory.weight_bytes},
          {"gradient_bytes", memory.gradient_bytes},
          {"optimizer_bytes", memory.optimizer_bytes},
          {"total_bytes", memory.total_bytes}};
}

std::string heading(const EstimateReport& report) {
  const plan::TransformerRun& run = report.run;
  const plan::TransformerMemory& memory = report.estimates.front().memory;
  std::string text = report.preset.empty() ? "" : report.preset + ": ";
  text += counted(run.layers, "layer") + ", hidden " + grouped_text(run.hidden) + ", " +
          counted(run.heads, "head") + ", vocabulary " + grouped_text(run.vocabulary) + "; " +
          counted(memory.parameters, "parameter") + "\n";
  text += "One micro-batch: " + counted(run.micro_batch, "sequence") + " of " +
          counted(run.sequence, "token") + ", " + counted(run.element_bytes, "byte") +
          " per activation\n";
  text += "Tensor parallel " + std::to_string(run.tensor_parallel) +
          (run.sequence_parallel ? " with" : " without") + " sequence parallel; stage " +
          std::to_string(run.stage) + " of " + std::to_string(run.pipeline_parallel) + ", " +
          counted(run.interleave, "chunk") + " per stage, " +
          grouped_text(memory.micro_batches_in_flight) +
          (memory.micro_batches_in_flight == 1 ? " micro-batch" : " micro-batches") +
          " in flight (" + counted(memory.layers_in_flight, "layer") + ")\n";
  text += "On this rank: " + counted(memory.rank_parameters, "parameter") + "; weights " +
          bytes_text(memory.weight_bytes) + ", gradients " + bytes_text(memory.gradient_bytes) +
          ", optimizer " + bytes_text(memory.optimizer_bytes) + "\n";
  return text;
}

}  // namespace

std::string estimate_text(const EstimateReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const Estimate& estimate : report.estimates) {
    const plan::TransformerMemory& memory = estimate.memory;
    rows.push_back({estimate.attention, estimate.recompute, bytes_text(memory.layer_bytes),
                    bytes_text(memory.layers_bytes),
                    bytes_text(memory.embedding_bytes + memory.output_bytes),
                    bytes_text(memory.activation_bytes), bytes_text(memory.recompute_bytes),
                    bytes_text(memory.total_bytes)});
  }
  return heading(report) + "\n" +
         table_text({{"attention", false},
                     {"recompute", false},
                     {"per layer"},
                     {"layers"},
                     {"ends"},
                     {"activations"},
                     {"brought back"},
                     {"total"}},
                    rows);
}

std::string estimate_json(const EstimateReport& report) {
  Json json = {{"format", "reprise.estimate"},
               {"version", 1},
               {"preset", report.preset.empty() ? Json(nullptr) : Json(report.preset)},
               {"transformer", json_of(report.run)},
               {"estimates", Json::array()}};
  for (const Estimate& estimate : report.estimates) {
    json["estimates"].push_back(json_of(estimate));
  }
  return json.dump(2) + "\n";
}

}  // namespace reprise::cli
