// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"
#include "python/src/bindings.h"
#include "reprise/memory.h"
#include "reprise/profile/step_recorder.h"
