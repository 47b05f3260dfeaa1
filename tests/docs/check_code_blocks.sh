#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Code that docs/ shows is the code that there is. A block of code may stand behind one of these lines:
#
#   <!-- file: PATH -->             it is that file
#   <!-- WORD in: PATH -->          it has everything that contains WORD in that file, and nothing
#                                   else that contains it, in the same order
#
#   check_code_blocks.sh [FILE.md ...]     default: every page of docs/
set -euo pipefail
cd "$(dirname "$0")/../.."

# The block of code behind the line $1 of page $2.
block_behind() {
  awk -v mark="$1" '
    $0 == mark { wanted = 1; next }
    /^```/ { if (inside) exit; if (wanted) { inside = 1; next } }
    inside' "$2"
}

# What stands between spaces and contains $1, one a line.
words_with() { grep -o "[^ ]*$1[^ ]*" || true; }

pages=("$@")
if [ "${#pages[@]}" -eq 0 ]; then
  pages=(docs/*.md)
fi
status=0
blocks=0
for page in "${pages[@]}"; do
  while read -r mark; do
    blocks=$((blocks + 1))
    path=$(sed -E 's/.*: (.*) -->$/\1/' <<<"$mark")
    word=$(sed -nE 's/^<!-- (.*) in: .*/\1/p' <<<"$mark")
    if [ -z "$word" ]; then
      shown=$(block_behind "$mark" "$page")
      there=$(<"$path")
    else
      shown=$(block_behind "$mark" "$page" | words_with "$word")
      there=$(words_with "$word" <"$path")
    fi
    if [ -z "$there" ] || ! diff -u --label "$path" --label "$page" <(echo "$there") <(echo "$shown"); then
      echo "$page: $mark: the code is not what there is" >&2
      status=1
    fi
  done < <(grep -E '^<!-- (file|[^ ]+ in): .* -->$' "$page" || true)
done
if [ "$blocks" -eq 0 ]; then
  echo "no page shows code of a file: ${pages[*]}" >&2
  exit 1
fi
exit "$status"
