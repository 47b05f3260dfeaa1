// SPDX-License-Identifier: Apache-2.0
// Everything that users include.
#pragma once

#include "reprise/checkpoint.h"
#include "reprise/checkpoint_modules.h"
#include "reprise/checkpoint_sequential.h"
#include "reprise/label.h"
#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "reprise/plan/format_error.h"
#include "reprise/visit_tensors.h"
