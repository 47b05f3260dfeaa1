// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain.h"
#include "reprise/report/table.h"
