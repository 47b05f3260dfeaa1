// SPDX-License-Identifier: Apache-2.0
// What `reprise estimate` found out, as a table and as "reprise.estimate" JSON.
#pragma once

#include <string>
#include <vector>

#include "reprise/plan/transformer_memory.h"

namespace reprise::cli {

struct Estimate {
  std::string attention;  // "written", "fused"
  std::string recompute;  // "none", "selective", "full"
  plan::TransformerMemory memory = {};
};

// Fields: docs/file_formats.md, "reprise.estimate".
struct EstimateReport {
  std::string preset = {};
  plan::TransformerRun run = {};  // recompute and attention: see each estimate
  std::vector<Estimate> estimates = {};
};

std::string estimate_text(const EstimateReport& report);
std::string estimate_json(const EstimateReport& report);

}  // namespace reprise::cli
