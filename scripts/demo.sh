#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains a small GPT on a real text: without checkpointing, with a region per block and with sqrt(n)
# segments, from the same seed, to compare what each costs; then longer, to see it learn. Called by
# `make demo`; under 3 minutes on 2 cores.
#
#   scripts/demo.sh REPRISE [TEXT]
#
# TEXT: any text file; default: the Debian Reference (0.9 MB of English), if its Debian package is
# there or can be installed, else the documentation that comes with every Python (0.5 MB).
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
  if [ -f "$debian_text" ]; then
    zcat "$debian_text" >"$text"
    echo "demo: the text is the Debian Reference, $(wc -c <"$text") bytes"
  else
    python3 -c 'from pydoc_data.topics import topics
print("\n".join(topics[name] for name in sorted(topics)))' >"$text"
    echo "demo: the text is Python's own documentation, $(wc -c <"$text") bytes"
  fi
fi

readonly model=(--model gpt --text "$text" --layers 6 --dim 128 --heads 4 --context 128 --batch 8
  --dropout 0.1 --lr 1e-3 --seed 1)

echo
echo "demo: the same model under three policies: what each takes, and whether it learns the same bits"
"$reprise" train "${model[@]}" --steps 15 --compare none,block,sqrt --json "$folder/compare.json"

echo
echo "demo: training it on, with a region per block, to see that it learns"
"$reprise" train "${model[@]}" --steps 120 --policy block --json "$folder/train.json"

echo
echo "demo: the numbers are in $folder/compare.json and $folder/train.json" \
  "(docs/file_formats.md says what they mean)"
