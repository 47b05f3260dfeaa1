// SPDX-License-Identifier: Apache-2.0
// A run that can be gone on with: the file that --save writes and --resume reads
// (docs/file_formats.md, "reprise.state").
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace reprise::cli {

struct SavedRun {
  std::int64_t steps_done = 0;
  double loss = 0;                                  // of the last step
  std::string model = {};                           // zoo::Model::description()
  std::string data_crc32 = {};                      // of the files, "" if synthetic
  std::map<std::string, std::string> options = {};  // as text, by name
  std::string tensors = {};                         // see trainer_state.h
};

std::string pack_run(const SavedRun& run);
// Throws FormatError if `bytes` are not what pack_run() made. `name` is the file's.
SavedRun unpack_run(const std::string& bytes, const std::string& name);

}  // namespace reprise::cli
