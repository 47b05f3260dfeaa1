// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "reprise/plan/segments.h"
