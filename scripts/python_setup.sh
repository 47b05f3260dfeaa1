#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the Python package and its tests need, beside what scripts/setup.sh has found. Writes
# build/python.cmake, which CMake reads with -C.
#
#   scripts/python_setup.sh             packages for the tests, into .venv
#   scripts/python_setup.sh --install   and the package itself, as `pip install .` does
#
# The module has to be built for the torch of the Python that imports it. A libtorch that belongs to
# no Python is enough for everything else: then the Python package is left out, and this says so.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly result="build/python.cmake"
readonly log="build/setup/python.log"

say() { echo "setup: $*"; }
die() { echo "setup: $*" >&2; exit 1; }

# Prints where a Python has its torch, or nothing.
torch_folder() {
  "$1" -c 'from importlib.util import find_spec
print(find_spec("torch").submodule_search_locations[0])' 2>/dev/null || true
}

# Prints the folder of the libtorch that scripts/setup.sh has found.
found_torch() {
  sed -n 's|^set(Torch_DIR "\(.*\)/share/cmake/Torch" CACHE.*|\1|p' build/setup.cmake
}

same_folder() { [ -n "$1" ] && [ -n "$2" ] && [ "$(realpath "$1")" = "$(realpath "$2")" ]; }

# Makes a .venv that sees the torch of the system's Python, if that is the one that was found.
make_venv() {
  same_folder "$(torch_folder python3)" "$(found_torch)" || return 1
  [ ! -e .venv ] || return 1
  python3 -m venv --system-site-packages .venv >"$log" 2>&1
}

leave_out() {
  say "libtorch in $(found_torch) belongs to no Python that is known here: no Python package"
  echo 'set(REPRISE_WITH_PYTHON OFF CACHE BOOL "" FORCE)' >"$result"
  exit 0
}

mkdir -p build/setup
same_folder "$(torch_folder .venv/bin/python)" "$(found_torch)" || make_venv || leave_out

readonly python=.venv/bin/python
if ! "$python" -c 'import os, sysconfig
raise SystemExit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))'
then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    say "installing python3-dev"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends python3-dev; } </dev/null >"$log" 2>&1 ||
      die "apt-get could not install python3-dev ($log says why)"
  else
    die "please install the headers of Python (Debian: sudo apt-get install python3-dev)"
  fi
fi

# Prints those of the modules that are missing.
missing_modules() {
  "$python" - "$@" <<'PYTHON'
import sys
from importlib.util import find_spec
print(*[name for name in sys.argv[1:] if find_spec(name) is None])
PYTHON
}

if [ -n "$(missing_modules scikit_build_core pytest numpy matplotlib transformers accelerate peft lightning)" ]
then
  say "installing what the Python tests need into .venv (pyproject.toml lists it)"
  # torch stays as it is: another one would be another libtorch.
  torch_version=$("$python" -c 'from importlib.metadata import version; print(version("torch"))')
  echo "torch==$torch_version" >build/setup/constraints.txt
  mapfile -t requirements < <("$python" scripts/test_requirements.py)
  "$python" -m pip --disable-pip-version-check install -q -c build/setup/constraints.txt \
    "${requirements[@]}" </dev/null >"$log" 2>&1 || die "pip failed ($log says why)"
fi

{
  echo "# Written by scripts/python_setup.sh."
  echo 'set(REPRISE_WITH_PYTHON ON CACHE BOOL "" FORCE)'
  echo "set(Python_EXECUTABLE \"$PWD/$python\" CACHE FILEPATH \"\" FORCE)"
} >"$result"

if [ "${1:-}" = --install ]; then
  "$python" -m pip --disable-pip-version-check install -q --no-build-isolation --no-deps . ||
    die "pip could not build the package"
fi
