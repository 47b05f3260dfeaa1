#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The output of `reprise plan` that README.md shows is that of the command above it, seconds aside.
#
#   check_readme_plan.sh REPRISE
set -euo pipefail
readonly reprise=$(realpath "${1:?expected the path of the reprise tool}")
cd "$(dirname "$0")/../.."

# Whatever stands between "in" and the comma: a slow build says minutes.
without_seconds() { sed -E 's/^(planned by .* in )[^,]*/\1N s/'; }

command=$(sed -n 's|^build/plan-only/bin/reprise \(plan .*\) --out [^ ]*$|\1|p' README.md)
[ -n "$command" ] || { echo "README.md shows no reprise plan --out" >&2; exit 1; }
read -ra words <<<"$command"
printed=$("$reprise" "${words[@]}")
diff -u --label README.md --label "reprise $command" \
  <(awk '/^gpt6: / { inside = 1 } /^```$/ { if (inside) exit } inside' README.md | without_seconds) \
  <(without_seconds <<<"$printed")
