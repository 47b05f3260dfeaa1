#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example that README.md shows is examples/ten_lines.cpp, which is compiled and run.
set -euo pipefail
cd "$(dirname "$0")/../.."

diff -u <(tail -n +2 examples/ten_lines.cpp) \
  <(awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md)
