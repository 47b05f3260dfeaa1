// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/policy.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "reprise/plan/balanced_segments.h"
#include "reprise/zoo/measure_blocks.h"

namespace reprise::zoo {
namespace {

enum class Rule {
  kNone,
  kBlock,
  kEvery,
  kSqrt,
  kBest,
  kSegments,
  kBytes,
  kCost,
  kAttention,
  kFeedForward
};

struct Record {
  Rule rule;
  std::string name;
  std::string number;  // its letter, or empty: the policy takes none
  std::string help;
};

const std::vector<Record>& records() {
  static const std::vector<Record> table = {
      {Rule::kNone, "none", "", "nothing is checkpointed"},
      {Rule::kBlock, "block", "", "every block is a region of its own, the last one too"},
      {Rule::kEvery, "every", "K", "a region for every K blocks; the last ones run plainly"},
      {Rule::kSqrt, "sqrt", "", "about sqrt(n) segments of n blocks, all but the last a region"},
      {Rule::kBest, "best", "",
       "every=K with the K that needs least memory, by what the blocks take and save"},
      {Rule::kSegments, "segments", "N", "N segments of equal length, all but the last a region"},
      {Rule::kBytes, "bytes", "N", "N segments balanced by the bytes that their blocks save"},
      {Rule::kCost, "cost", "N", "N segments balanced by the time that their blocks take"},
      {Rule::kAttention, "attention", "", "the attention of every block, nothing else"},
      {Rule::kFeedForward, "ffn", "", "the feed-forward of every block, nothing else"},
  };
  return table;
}

std::string form_of(const Record& record) {
  return record.name + (record.number.empty() ? "" : "=" + record.number);
}

std::string known_forms() {
  std::string forms;
  for (const Record& record : records()) {
    forms += (forms.empty() ? "" : ", ") + form_of(record);
  }
  return forms;
}

struct Policy {
  Rule rule;
  std::int64_t number;  // 0 if the policy takes none
};

std::int64_t parse_number(const Record& record, const std::string& policy,
                          const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < 1) {
    throw std::invalid_argument("policy: expected " + form_of(record) + " with an integer " +
                                record.number + " >= 1, got '" + policy + "'");
  }
  return number;
}

Policy parse(const std::string& policy) {
  const std::size_t equals = policy.find('=');
  const std::string name = policy.substr(0, equals);
  const auto record = std::find_if(records().begin(), records().end(),
                                   [&](const Record& candidate) { return candidate.name == name; });
  const bool has_number = equals != std::string::npos;
  if (record == records().end() || has_number == record->number.empty()) {
    throw std::invalid_argument("policy: expected one of " + known_forms() + ", got '" + policy +
                                "'");
  }
  return {record->rule, has_number ? parse_number(*record, policy, policy.substr(equals + 1)) : 0};
}

// The memory model is of equal layers: means stand for them. What a segment keeps is its first
// block's input; a block that was just recomputed holds its own input and what it saves.
plan::SegmentPlan best_segments(const BlockMeasurements& blocks) {
  const auto count = static_cast<std::int64_t>(blocks.input_bytes.size());
  const auto sum = [](const std::vector<std::int64_t>& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  };
  const std::int64_t inputs = sum(blocks.input_bytes);
  return plan::best_k(count, inputs / count, (inputs + sum(blocks.saved_bytes)) / count);
}

plan::SegmentPlan segments_of(const Policy& policy, Model& model, const Batch& sample) {
  const std::int64_t blocks = model.blocks();
  switch (policy.rule) {
    case Rule::kBlock:
      return plan::every_k(blocks, 1, plan::LastSegment::kRegion);
    case Rule::kEvery:
      return plan::every_k(blocks, policy.number);
    case Rule::kSqrt:
      return plan::sqrt_segments(blocks);
    case Rule::kBest:
      return best_segments(measure_blocks(model, sample));
    case Rule::kSegments:
      return plan::n_segments(blocks, policy.number);
    case Rule::kBytes:
      return plan::balanced_by_bytes(measure_blocks(model, sample).saved_bytes, policy.number);
    case Rule::kCost:
      return plan::balanced_by_cost(measure_blocks(model, sample).forward_us, policy.number);
    case Rule::kNone:
    case Rule::kAttention:
    case Rule::kFeedForward:
      return {};
  }
  return {};
}

RegionScope scope_of(Rule rule) {
  switch (rule) {
    case Rule::kAttention:
      return RegionScope::kAttention;
    case Rule::kFeedForward:
      return RegionScope::kFeedForward;
    default:
      return RegionScope::kBlocks;
  }
}

}  // namespace

const std::vector<PolicyHelp>& policies() {
  static const std::vector<PolicyHelp> help = [] {
    std::vector<PolicyHelp> lines;
    for (const Record& record : records()) {
      lines.push_back({form_of(record), record.help});
    }
    return lines;
  }();
  return help;
}

void check_policy(const std::string& policy) { parse(policy); }

RegionPlacement place_policy(const std::string& policy, Model& model, const Batch& sample,
                             const tape::RegionOptions& options) {
  const Policy parsed = parse(policy);
  const RegionScope scope = scope_of(parsed.rule);
  if (!model.has_scope(scope)) {
    throw std::invalid_argument("policy: expected a model with attention blocks for '" + policy +
                                "', got " + model.description());
  }
  return {scope, segments_of(parsed, model, sample), options};
}

RegionPlacement from_sequence_length(RegionPlacement placement, const Model& model,
                                     const Batch& sample, std::int64_t threshold) {
  const std::optional<std::int64_t> length = model.sequence_length(sample);
  if (!length) {
    throw std::invalid_argument("from_sequence_length: expected a model of sequences, got " +
                                model.description());
  }
  placement.segments = plan::from_sequence_length(placement.segments, *length, threshold);
  placement.scope = *length >= threshold ? placement.scope : RegionScope::kBlocks;
  return placement;
}

}  // namespace reprise::zoo
