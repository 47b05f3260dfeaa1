#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds or installs what the build needs and writes build/setup.cmake, which CMake reads with -C.
#
#   scripts/setup.sh        what `make demo` and `make test` need
#   scripts/setup.sh --ci   clang-format and clang-tidy too
#
# libtorch: the one that CMake finds (Torch_DIR, CMAKE_PREFIX_PATH), else the one of an importable
# Python torch, else torch==2.13.0 is installed into .venv. One variable overrides all of that:
#   REPRISE_TORCH=/path/to/libtorch       use this libtorch (or the torch folder of a Python package)
#   REPRISE_TORCH=https://.../whl/cpu     install from this pip index instead of the default one, unless
#                                         .venv has a torch >= 2.13 already, which is then used
set -euo pipefail
cd "$(dirname "$0")/.."

readonly torch_requirement="torch==2.13.0"
readonly big_download_bytes=$((300 * 1000 * 1000))
readonly result="build/setup.cmake"
readonly probe_log="build/setup/probe.log"

say() { echo "setup: $*"; }
die() { echo "setup: $*" >&2; exit 1; }

# Prints the names of Debian packages whose programs or headers are missing.
missing_packages() {
  local wants_ci=$1
  command -v cmake >/dev/null || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  command -v pkg-config >/dev/null || echo pkg-config
  # ccache makes later builds faster and nothing else: only root, who gets it unasked, has to have it.
  command -v ccache >/dev/null || { [ "$(id -u)" -ne 0 ] || echo ccache; }
  if [ "$wants_ci" = yes ]; then
    command -v clang-format-14 >/dev/null || echo clang-format-14
    command -v clang-tidy-14 >/dev/null || echo clang-tidy-14
  fi
  if ! command -v "${CXX:-c++}" >/dev/null; then
    echo g++ libgtest-dev libgmock-dev nlohmann-json3-dev libcli11-dev zlib1g-dev libssl-dev libsndfile1-dev pkg-config
    return
  fi
  local include_flags=() prefix
  local IFS=':;'
  for prefix in ${CMAKE_PREFIX_PATH:-}; do
    include_flags+=("-I$prefix/include")
  done
  unset IFS
  "${CXX:-c++}" "${include_flags[@]}" -std=c++20 -E -P -x c++ - <<'PROBE' | grep -v '^$' || true
#if !__has_include(<gtest/gtest.h>)
libgtest-dev
#endif
#if !__has_include(<gmock/gmock.h>)
libgmock-dev
#endif
#if !__has_include(<nlohmann/json.hpp>)
nlohmann-json3-dev
#endif
#if !__has_include(<CLI/CLI.hpp>)
libcli11-dev
#endif
#if !__has_include(<zlib.h>)
zlib1g-dev
#endif
#if !__has_include(<openssl/evp.h>)
libssl-dev
#endif
#if !__has_include(<sndfile.h>)
libsndfile1-dev
#endif
PROBE
}

# Installs Debian packages if that is possible without asking, else says what to install and stops.
install_packages() {
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    say "installing $*"
    mkdir -p build/setup
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends "$@"; } </dev/null >build/setup/apt.log 2>&1 ||
      die "apt-get could not install $* (build/setup/apt.log says why)"
  elif command -v apt-get >/dev/null; then
    die "please run: sudo apt-get install $*"
  else
    die "please install (Debian names): $*"
  fi
}

# Prints a Python that can make virtual environments and that torch 2.13 supports, or nothing.
python_for_venv() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null
    then
      echo "$python"
      return
    fi
  done
}

# Prints the torch folder of a Python's torch, without the seconds that importing it takes.
torch_folder() {
  "$1" -c 'from importlib.util import find_spec
print(find_spec("torch").submodule_search_locations[0])' 2>/dev/null || true
}

# Prints the version of a Python's torch, without importing it.
torch_version_of() {
  "$1" -c 'from importlib.metadata import version
print(version("torch"))' 2>/dev/null || echo unknown
}

# Succeeds if CMake, given these arguments, finds a libtorch that will do; sets torch_dir.
probe_torch() {
  rm -rf build/setup/probe
  mkdir -p build/setup
  cmake -S cmake/torch_probe -B build/setup/probe -G Ninja -Wno-dev "$@" >"$probe_log" 2>&1 ||
    return 1
  torch_dir=$(sed -n 's/^-- probe: Torch_DIR=//p' "$probe_log")
  torch_version=$(sed -n 's/^-- probe: Torch_VERSION=//p' "$probe_log")
}

# Prints "BYTES PACKAGES" of what pip would download, or "unknown some" where pip cannot tell.
download_size() {
  # An older pip downloads everything before it reports.
  local version
  version=$(.venv/bin/python -c 'import pip; print(pip.__version__.split(".")[0])')
  if [ "$version" -lt 25 ]; then
    echo unknown some
    return
  fi
  "$@" -q -q --use-feature=fast-deps --dry-run --report - </dev/null 2>build/setup/pip.log |
    .venv/bin/python scripts/download_size.py 2>/dev/null || echo unknown some
}

# Installs torch into .venv, from the index in $1 if that is not empty.
install_torch() {
  local index=$1 python size packages
  python=$(python_for_venv)
  if [ -z "$python" ]; then
    install_packages python3-venv
    python=$(python_for_venv)
    [ -n "$python" ] || die "no Python >= 3.10 with the modules venv and ensurepip found"
  fi
  say "no libtorch >= 2.13 found; installing $torch_requirement into .venv"
  "$python" -m venv --clear .venv
  local pip=(.venv/bin/python -m pip --disable-pip-version-check)
  "${pip[@]}" install -q -q --upgrade pip </dev/null >build/setup/pip.log 2>&1 || true
  local install=("${pip[@]}" install "$torch_requirement")
  [ -z "$index" ] || install+=(--index-url "$index")

  read -r size packages < <(download_size "${install[@]}")
  local hint="set REPRISE_TORCH to an index of CPU wheels to download less (README.md)"
  if [ "$size" = unknown ]; then
    say "this downloads $packages packages: 0.2 GB for a CPU build, 3 GB for a CUDA build; $hint"
  elif [ "$size" -gt $big_download_bytes ]; then
    say "this downloads $((size / 1000000)) MB in $packages packages; $hint"
  else
    install+=(-q -q)
  fi
  "${install[@]}" </dev/null || die "pip could not install $torch_requirement"
}

# Sets torch_dir and torch_version.
find_torch() {
  local choice=${REPRISE_TORCH:-} folder
  case $choice in
    '') ;;
    *://*)
      folder=$(torch_folder .venv/bin/python)
      if [ -n "$folder" ]; then
        say "using torch $(torch_version_of .venv/bin/python), which is in .venv; to install from" \
          "$choice instead, remove .venv first"
      else
        install_torch "$choice"
      fi
      probe_torch -DTorch_DIR="$(torch_folder .venv/bin/python)/share/cmake/Torch" ||
        die "expected a torch >= 2.13 in .venv that CMake can use, got" \
          "$(torch_version_of .venv/bin/python) ($probe_log says why)"
      return ;;
    *)
      probe_torch -DTorch_DIR="$choice/share/cmake/Torch" ||
        die "REPRISE_TORCH: expected a libtorch >= 2.13 or the URL of a pip index, got $choice" \
          "($probe_log says why)"
      return ;;
  esac
  # An explicit Torch_DIR that does not work is worth an error, not another torch.
  if [ -n "${Torch_DIR:-}" ]; then
    probe_torch -DTorch_DIR="$Torch_DIR" ||
      die "Torch_DIR: expected a libtorch >= 2.13, got $Torch_DIR ($probe_log says why)"
    return
  fi
  probe_torch && return
  local python
  for python in .venv/bin/python python3; do
    folder=$(torch_folder "$python")
    [ -n "$folder" ] && probe_torch -DTorch_DIR="$folder/share/cmake/Torch" && return
  done
  install_torch ""
  probe_torch -DTorch_DIR="$(torch_folder .venv/bin/python)/share/cmake/Torch" ||
    die "CMake cannot use the torch in .venv ($probe_log says why)"
}

wants_ci=no
[ "${1:-}" != --ci ] || wants_ci=yes
mapfile -t packages < <(missing_packages $wants_ci | tr ' ' '\n')
[ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"

# What the search depends on: the same answer is not looked for twice.
readonly asked="${REPRISE_TORCH:-}|${Torch_DIR:-}|${CMAKE_PREFIX_PATH:-}|${CXX:-}"
if [ -f "$result" ] && grep -qxF "# asked: $asked" "$result"; then
  torch_dir=$(sed -n 's/^set(Torch_DIR "\(.*\)" CACHE.*/\1/p' "$result")
  [ -f "$torch_dir/TorchConfig.cmake" ] && exit 0
fi

find_torch
# ccache as every clone on this machine shares it: paths are relative to the clone, and a precompiled
# header may stand in for what it includes.
launcher=$(command -v ccache || true)
[ -z "$launcher" ] || launcher="env;CCACHE_BASEDIR=$PWD;CCACHE_NOHASHDIR=1;CCACHE_SLOPPINESS=pch_defines,time_macros;$launcher"
{
  echo "# Written by scripts/setup.sh; read by cmake -C build/setup.cmake."
  echo "# asked: $asked"
  echo "set(Torch_DIR \"$torch_dir\" CACHE PATH \"\" FORCE)"
  echo "set(CMAKE_CXX_COMPILER_LAUNCHER \"$launcher\" CACHE STRING \"\" FORCE)"
} >"$result"
say "libtorch $torch_version in ${torch_dir%/share/cmake/Torch}, $([ -n "$launcher" ] && echo "with ccache" || echo "no ccache")"
