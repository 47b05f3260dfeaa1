// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/gpt.h"
