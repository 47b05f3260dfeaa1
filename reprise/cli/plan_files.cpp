// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/plan_files.h"

#include "reprise/cli/file_bytes.h"
#include "reprise/plan/serialize.h"

namespace reprise::cli {

plan::Program load_program(const std::string& path) {
  return plan::read_program(read_file(path), path);
}

plan::Schedule load_schedule(const std::string& path_or_keepall, const plan::Program& program) {
  if (path_or_keepall == kKeepAll) {
    plan::Schedule schedule;
    schedule.planner = "keep_all";
    return schedule;
  }
  return plan::read_schedule(read_file(path_or_keepall), path_or_keepall, program);
}

}  // namespace reprise::cli
