// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/saved_run.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "reprise/cli/container.h"
#include "reprise/plan/format_error.h"

namespace reprise::cli {

std::string pack_run(const SavedRun& run) {
  const nlohmann::json json = {{"format", "reprise.state"},    {"version", 1},
                               {"steps_done", run.steps_done}, {"loss", run.loss},
                               {"model", run.model},           {"data_crc32", run.data_crc32},
                               {"options", run.options}};
  return pack_container(
      {{"run", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)},
       {"tensors", run.tensors}});
}

SavedRun unpack_run(const std::string& bytes, const std::string& name) {
  const Sections sections = unpack_container(bytes, name);
  if (!sections.contains("run") || !sections.contains("tensors")) {
    throw FormatError::mismatch(name, "the sections 'run' and 'tensors'", "others");
  }
  try {
    const auto json = nlohmann::json::parse(sections.at("run"));
    SavedRun run;
    run.steps_done = json.at("steps_done");
    const auto& loss = json.at("loss");  // null if it was not finite
    run.loss = loss.is_null() ? std::numeric_limits<double>::quiet_NaN() : loss.get<double>();
    run.model = json.at("model");
    run.data_crc32 = json.at("data_crc32");
    run.options = json.at("options");
    run.tensors = sections.at("tensors");
    return run;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError::mismatch(name, "the description of a run", error.what());
  }
}

}  // namespace reprise::cli
