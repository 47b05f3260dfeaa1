#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Code in docs/ that claims to be a file is that file: a line "<!-- file: PATH -->", then a block of
# code, which is compared with the file without its first line, the licence.
#
#   check_code_blocks.sh [FILE.md ...]     default: every page of docs/
set -euo pipefail
cd "$(dirname "$0")/../.."

pages=("$@")
if [ "${#pages[@]}" -eq 0 ]; then
  pages=(docs/*.md)
fi
status=0
blocks=0
for page in "${pages[@]}"; do
  while read -r path; do
    blocks=$((blocks + 1))
    if ! diff -u --label "$path" --label "$page" <(tail -n +2 "$path") \
      <(awk -v mark="<!-- file: $path -->" '
          $0 == mark { wanted = 1; next }
          /^```/ { if (inside) exit; if (wanted) { inside = 1; next } }
          inside' "$page"); then
      status=1
    fi
  done < <(sed -n 's/^<!-- file: \(.*\) -->$/\1/p' "$page")
done
if [ "$blocks" -eq 0 ]; then
  echo "no page shows a file: ${pages[*]}" >&2
  exit 1
fi
exit "$status"
