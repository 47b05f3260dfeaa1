// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/estimate_command.h"

#include <ostream>
#include <string>
#include <vector>

#include "reprise/cli/argument_names.h"
#include "reprise/cli/estimate_presets.h"
#include "reprise/cli/estimate_report.h"
#include "reprise/cli/report_output.h"
#include "reprise/plan/transformer_memory.h"

namespace reprise::cli {
namespace {

void apply_preset(OptionValues& values) {
  const std::string preset = values.text("preset");
  if (preset.empty()) {
    return;
  }
  for (const auto& [name, text] : estimate_preset(preset)) {
    if (!values.is_given(name)) {
      values.set(name, text);
    }
  }
}

plan::TransformerRun run_of(const OptionValues& values) {
  const bool is_mixed = values.text("precision") == "mixed";
  plan::TransformerRun run;
  run.layers = values.integer("layers");
  run.hidden = values.integer("dim");
  run.heads = values.integer("heads");
  run.ffn_hidden = values.integer("ffn-dim");
  run.vocabulary = values.integer("vocabulary");
  run.learns_positions = !values.flag("no-positions");
  run.ties_embeddings = !values.flag("untied-embeddings");
  run.has_dropout = !values.flag("no-dropout");
  run.sequence = values.integer("context");
  run.micro_batch = values.integer("batch");
  run.element_bytes = is_mixed ? 2 : 4;
  run.mask_bytes = values.integer("mask-bytes");
  run.tensor_parallel = values.integer("tensor-parallel");
  run.sequence_parallel = values.flag("sequence-parallel");
  run.pipeline_parallel = values.integer("pipeline-parallel");
  run.stage = values.integer("stage");
  run.interleave = values.integer("interleave");
  run.micro_batches = values.integer("micro-batches");
  run.data_parallel = values.integer("data-parallel");
  run.shards_optimizer = values.flag("shard-optimizer");
  run.parameter_cost = is_mixed ? plan::kMixedPrecisionAdam : plan::kFloatAdamW;
  return run;
}

// What the fields of a TransformerRun are called on the command line.
const ArgumentNames& field_names() {
  static const ArgumentNames names = {{"layers", "--layers"},
                                      {"hidden", "--dim"},
                                      {"heads", "--heads"},
                                      {"ffn_hidden", "--ffn-dim"},
                                      {"sequence", "--context"},
                                      {"tensor_parallel", "--tensor-parallel"},
                                      {"pipeline_parallel", "--pipeline-parallel"},
                                      {"stage", "--stage"},
                                      {"interleave", "--interleave"},
                                      {"sizes",
                                       "--layers, --dim, --heads, --ffn-dim, "
                                       "--vocabulary, --context, --batch"}};
  return names;
}

template <class Value>
struct Named {
  const char* name;
  Value value;
};

// Those that `choice` names: one, or all.
template <class Value>
std::vector<Named<Value>> chosen(std::vector<Named<Value>> known, const std::string& choice) {
  std::erase_if(known,
                [&](const Named<Value>& one) { return choice != "all" && choice != one.name; });
  return known;
}

}  // namespace

void run_estimate(OptionValues values, std::ostream& out, std::ostream& err) {
  apply_preset(values);
  const ReportOutput output(values, {"json"}, {}, out, err);
  EstimateReport report{.preset = values.text("preset"), .run = run_of(values)};
  const auto attentions =
      chosen<plan::AttentionKernel>({{"written", plan::AttentionKernel::kStoresScores},
                                     {"fused", plan::AttentionKernel::kRecomputesScores}},
                                    values.text("attention"));
  const auto recomputes =
      chosen<plan::LayerRecompute>({{"none", plan::LayerRecompute::kNone},
                                    {"selective", plan::LayerRecompute::kSelective},
                                    {"full", plan::LayerRecompute::kFull}},
                                   values.text("recompute"));
  for (const auto& attention : attentions) {
    for (const auto& recompute : recomputes) {
      plan::TransformerRun run = report.run;
      run.attention = attention.value;
      run.recompute = recompute.value;
      report.estimates.push_back({attention.name, recompute.name, with_names(field_names(), [&run] {
                                    return plan::estimate_transformer(run);
                                  })});
    }
  }
  output.write("json", estimate_json(report));
  output.text() << estimate_text(report);
}

}  // namespace reprise::cli
