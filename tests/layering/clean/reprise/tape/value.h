// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>

#include "reprise/plan/chain.h"
