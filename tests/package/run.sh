#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build tree into a scratch prefix, runs the installed tool, checks the installed headers,
# and builds and runs a foreign project that knows nothing but the prefix.
#
#   tests/package/run.sh BUILD_DIR      for instance build/dev, already built
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?expected a build directory}" && pwd)
scratch="$build/package"
prefix="$scratch/prefix"
rm -rf "$scratch"

echo "== install into $prefix"
cmake --install "$build" --prefix "$prefix" >/dev/null

echo "== the installed tool finds its libraries by itself"
env -u LD_LIBRARY_PATH "$prefix/bin/reprise" --version
env -u LD_LIBRARY_PATH "$prefix/bin/reprise" train --layers 2 --dim 8 --heads 2 --context 8 --batch 1 \
  --steps 2 --validation-batches 0 --policy block

echo "== installed headers include installed headers only"
headers=$(cd "$prefix/include" && find . -name '*.h' | wc -l)
missing=0
while IFS=: read -r file header; do
  if [ ! -f "$prefix/include/$header" ]; then
    echo "$file includes $header, which is not installed"
    missing=1
  fi
done < <(cd "$prefix/include" &&
  grep -rE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]reprise/' . |
  sed -E 's/^([^:]*):.*["<](reprise\/[^">]*)[">].*/\1:\2/')
[ "$headers" -gt 0 ]
[ $missing -eq 0 ]
echo "$headers headers"

echo "== a foreign project finds, builds and runs; each installed header compiles alone"
launcher=$(sed -n 's/^CMAKE_CXX_COMPILER_LAUNCHER:[A-Z]*=//p' "$build/CMakeCache.txt")
cmake -S "$here" -B "$scratch/build" -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" >"$scratch/configure.log" 2>&1 ||
  { cat "$scratch/configure.log"; exit 1; }
torch_dir() { sed -n 's/^Torch_DIR:PATH=//p' "$1/CMakeCache.txt"; }
[ "$(torch_dir "$scratch/build")" = "$(torch_dir "$build")" ] ||
  { echo "expected the libtorch in $(torch_dir "$build"), got $(torch_dir "$scratch/build")"; exit 1; }
cmake --build "$scratch/build"
"$scratch/build/uses_reprise"
