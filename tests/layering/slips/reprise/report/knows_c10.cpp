// SPDX-License-Identifier: Apache-2.0
#  include <c10/core/Allocator.h>
