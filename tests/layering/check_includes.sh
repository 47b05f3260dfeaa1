#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that dependencies between the layers point one way, by their #includes.
#
#   check_includes.sh [ROOT]     ROOT holds reprise/ and python/, if any; default: this repository
#
# Prints one line per slip, "file:line: what is wrong", and fails if there is any.
set -euo pipefail
export LC_ALL=C

root=${1:-$(dirname "$0")/../..}
cd "$root"
slips=0

# Own headers that each layer may include: extended regular expressions over the included path.
declare -A may_include=(
  [plan]='reprise/plan/'
  [report]='reprise/(plan|report)/'
  [tape]='reprise/(plan|tape)/'
  [profile]='reprise/(plan|tape|profile)/'
  [public]='reprise/([a-z_]+\.h|(plan|tape|profile|report)/)'
  [zoo]='reprise/([a-z_]+\.h|(plan|tape|profile|report|zoo)/)'
  [cli]='reprise/([a-z_]+\.h|[a-z]+/)'
  [python]='(reprise/([a-z_]+\.h|(plan|tape)/)|python/src/)'
)
readonly pure_layers='plan report'
readonly torch_headers='(torch|ATen|c10|caffe2)/'
readonly torch_names='\b(torch|at|c10|caffe2)::'

slip() {
  echo "$1"
  slips=$((slips + 1))
}

# check_layer LAYER FILE...
check_layer() {
  local layer=$1 line place quote header
  shift
  while IFS= read -r line; do
    [[ $line =~ ^([^:]+:[0-9]+):[^\<\"]*([\<\"])([^\>\"]+) ]]
    place=${BASH_REMATCH[1]}
    quote=${BASH_REMATCH[2]}
    header=${BASH_REMATCH[3]}
    if [[ $header == reprise/* || $header == python/* ]]; then
      [[ $header =~ ^${may_include[$layer]} ]] || slip "$place: $layer may not include $header"
    elif [ "$quote" = '"' ]; then
      slip "$place: own headers are named from the root of the repository, got $header"
    elif [[ " $pure_layers " == *" $layer "* && $header =~ ^$torch_headers ]]; then
      slip "$place: $layer may not include torch, got $header"
    fi
  done < <(grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' "$@")
  if [[ " $pure_layers " == *" $layer "* ]]; then
    while IFS= read -r line; do
      slip "$(cut -d: -f1,2 <<<"$line"): $layer may not name torch"
    done < <(grep -HnE "$torch_names" "$@")
  fi
}

sources_in() {
  find "$@" -type f \( -name '*.h' -o -name '*.cpp' \) | sort
}

for folder in reprise/*/; do
  layer=$(basename "$folder")
  if [ -z "${may_include[$layer]:-}" ]; then
    slip "$folder:1: this layer has no rule in check_includes.sh"
    continue
  fi
  mapfile -t files < <(sources_in "$folder")
  [ ${#files[@]} -eq 0 ] || check_layer "$layer" "${files[@]}"
done
mapfile -t files < <(sources_in reprise -maxdepth 1)
[ ${#files[@]} -eq 0 ] || check_layer public "${files[@]}"
if [ -d python/src ]; then
  mapfile -t files < <(sources_in python/src)
  check_layer python "${files[@]}"
fi

[ $slips -eq 0 ]
