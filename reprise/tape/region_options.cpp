// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/region_options.h"

#include <atomic>

namespace reprise::tape {
namespace {

std::atomic<Recompute> chosen{Recompute::kReplay};

}  // namespace

Recompute default_recompute() { return chosen; }

void set_default_recompute(Recompute recompute) { chosen = recompute; }

}  // namespace reprise::tape
