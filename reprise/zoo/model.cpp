// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/model.h"

#include <numeric>
#include <stdexcept>

namespace reprise::zoo {
namespace {

const char* name_of(RegionScope scope) {
  switch (scope) {
    case RegionScope::kBlocks:
      return "blocks";
    case RegionScope::kAttention:
      return "attention";
    case RegionScope::kFeedForward:
      return "feed_forward";
  }
  return "unknown";
}

void check_segments(const std::vector<plan::Segment>& segments, std::int64_t blocks) {
  std::int64_t covered = 0;
  for (const plan::Segment& segment : segments) {
    if (segment.first != covered || segment.last <= segment.first) {
      throw std::invalid_argument(
          "place_regions: expected a segment that begins at block " + std::to_string(covered) +
          ", got [" + std::to_string(segment.first) + ", " + std::to_string(segment.last) + ")");
    }
    covered = segment.last;
  }
  if (!segments.empty() && covered != blocks) {
    throw std::invalid_argument("place_regions: expected segments over " + std::to_string(blocks) +
                                " blocks, got " + std::to_string(covered));
  }
}

}  // namespace

bool Model::has_scope(RegionScope scope) const {
  return scope == RegionScope::kBlocks || attention_blocks() > 0;
}

void Model::place_regions(RegionPlacement placement) {
  if (!has_scope(placement.scope)) {
    throw std::invalid_argument("place_regions: expected a scope that " + description() +
                                " has, got " + name_of(placement.scope));
  }
  if (placement.scope != RegionScope::kBlocks && !placement.segments.segments.empty()) {
    throw std::invalid_argument(std::string("place_regions: expected no segments with scope ") +
                                name_of(placement.scope) + ", got " + placement.segments.text());
  }
  check_segments(placement.segments.segments, blocks());
  placement_ = std::move(placement);
}

std::int64_t Model::regions() const {
  return placement_.scope == RegionScope::kBlocks ? placement_.segments.regions()
                                                  : attention_blocks();
}

std::vector<plan::Segment> Model::segments() const {
  if (placement_.segments.segments.empty()) {
    return {{.first = 0, .last = blocks(), .is_region = false}};
  }
  return placement_.segments.segments;
}

std::int64_t Model::bytes_of(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

std::int64_t Model::bytes_of(const std::vector<at::Tensor>& tensors) {
  return std::accumulate(
      tensors.begin(), tensors.end(), std::int64_t{0},
      [](std::int64_t sum, const at::Tensor& tensor) { return sum + bytes_of(tensor); });
}

tape::RegionOptions Model::segment_options(const plan::Segment& segment) const {
  tape::RegionOptions options = placement_.options;
  const std::string first = std::to_string(segment.first);
  options.name = segment.last - segment.first == 1
                     ? "block" + first
                     : "blocks" + first + "-" + std::to_string(segment.last - 1);
  return options;
}

tape::RegionOptions Model::part_options(RegionScope part, std::int64_t block) const {
  tape::RegionOptions options = placement_.options;
  options.name = "block" + std::to_string(block) + "." + name_of(part);
  return options;
}

}  // namespace reprise::zoo
