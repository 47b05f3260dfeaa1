#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_includes.sh accepts the tree in `clean/` and reports each slip in `slips/`, and no more.
set -euo pipefail
cd "$(dirname "$0")"

./check_includes.sh clean

if found=$(./check_includes.sh slips); then
  echo "slips/: expected a failure, got success"
  exit 1
fi
diff -u slips/expected.txt <(echo "$found")
