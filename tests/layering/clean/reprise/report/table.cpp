// SPDX-License-Identifier: Apache-2.0
#include "reprise/report/table.h"
#include "reprise/plan/chain.h"
