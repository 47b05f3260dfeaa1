// SPDX-License-Identifier: Apache-2.0
// All that decides how a trainer goes on, as bytes: parameters, buffers, AdamW's state and the
// random stream, in the format of torch.save (a dictionary of tensors by name).
#pragma once

#include <string>

#include "reprise/cli/trainer.h"

namespace reprise::cli {

// The same state gives the same bytes.
std::string pack_tensors(Trainer& trainer);

// Throws FormatError("NAME: ...") unless `tensors` are those of such a model; the trainer is then
// as it was.
void unpack_tensors(const std::string& tensors, const std::string& name, Trainer& trainer);

}  // namespace reprise::cli
