#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains a small GPT on a real text, from the same seed: without checkpointing, with a region per block,
# with sqrt(n) segments and within two byte budgets, to compare what each costs; then longer, to see it
# learn. Called by `make demo`; under 3 minutes on 2 cores.
#
#   scripts/demo.sh REPRISE [TEXT]
#
# TEXT: any text file; default: the documentation that comes with every Python (0.5 MB of English) and
# the prose of the Debian Reference (as much again), if that Debian package is there or can be
# installed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly reprise=${1:?expected the path of the reprise tool}
text=${2:-}
readonly debian_text=/usr/share/debian-reference/debian-reference.en.txt.gz
readonly folder=build/demo
mkdir -p "$folder"

if [ -z "$text" ]; then
  text="$folder/text.txt"
  if [ ! -f "$debian_text" ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "demo: installing the Debian package debian-reference-en (a text to learn from)"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      debian-reference-en </dev/null >"$folder/apt.log" 2>&1 || true
  fi
  PYTHONUTF8=1 python3 -c 'from pydoc_data.topics import topics
print("\n".join(topics[name] for name in sorted(topics)))' >"$text" || true
  if [ -f "$debian_text" ]; then
    zcat "$debian_text" | grep -v '[|+]' | cat -s >>"$text"  # without its tables
  fi
  [ -s "$text" ] || { echo "demo: no text found; name one: scripts/demo.sh $reprise FILE" >&2; exit 1; }
  echo "demo: the text is documentation that comes with Python or Debian, $(wc -c <"$text") bytes"
fi

readonly model=(--model gpt --text "$text" --layers 6 --dim 128 --heads 4 --context 128 --batch 8
  --dropout 0.1 --lr 1e-3 --seed 1)

echo
echo "demo: the same model under three policies and two budgets: what each takes, and whether it learns" \
  "the same bits"
"$reprise" train "${model[@]}" --steps 15 --compare none,block,sqrt,budget=50%,budget=35% \
  --json "$folder/compare.json"

echo
echo "demo: training it on, within half of the memory, to see that it learns"
"$reprise" train "${model[@]}" --steps 300 --budget 50% --json "$folder/train.json" \
  --save-program "$folder/program.json" --save-schedule "$folder/schedule.json"

echo
echo "demo: the numbers are in $folder/compare.json and $folder/train.json, the step and its plan in" \
  "$folder/program.json and $folder/schedule.json (docs/file_formats.md says what they mean)"
