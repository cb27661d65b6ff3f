#!/usr/bin/env bash
# The one list of Debian packages, and their installation: scripts/install-packages.sh SET…
#
#   build  what building the command and the plugin needs
#   test   what the tests need besides
#   dev    for the people who work on it: formatter, linter, sanitizers
#
# Installs what is missing and says so in one line; says nothing where all is there.
set -euo pipefail

LLVM=22
declare -A SETS=(
  [build]="cmake ninja-build clang-$LLVM llvm-$LLVM-dev libclang-$LLVM-dev clang-tools-$LLVM nlohmann-json3-dev
           libcli11-dev libcsv-dev libeigen3-dev libfmt-dev libhwloc-dev libmd-dev
           libsimdjson-dev libsimgrid-dev nodejs npm lld-$LLVM libboost-dev wasi-libc
           libc++-$LLVM-dev-wasm32 libc++abi-$LLVM-dev-wasm32 libclang-rt-$LLVM-dev-wasm32 zlib1g-dev"
  [test]="llvm-$LLVM-tools libgtest-dev libgmock-dev libgmp-dev valgrind binutils flang-$LLVM libomp5-14
          libopenmpi-dev openmpi-bin chromium python3 python3-jsonschema python3-psutil csmith libcsmith-dev mkdocs
          ccache fish git groff-base make meson python3-yaml zsh"
  [dev]="clang-format-$LLVM clang-tidy-$LLVM libclang-rt-$LLVM-dev"
)

fail() {
  echo "install-packages.sh: $*" >&2
  exit 1
}

[ $# -gt 0 ] || fail "which set? One or more of: ${!SETS[*]}"
wanted=()
for name in "$@"; do
  [ -n "${SETS[$name]:-}" ] || fail "no set '$name'; one of: ${!SETS[*]}"
  # shellcheck disable=SC2206 # a list of words on purpose
  wanted+=(${SETS[$name]})
done

command -v dpkg-query >/dev/null ||
  fail "this is no Debian system; install these or their likes by hand: ${wanted[*]}"

# Node.js and npm may have come another way than by Debian's packages.
installed() {
  case $1 in
    nodejs) command -v node >/dev/null && return ;;
    npm) command -v npm >/dev/null && return ;;
  esac
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}
missing=()
for package in "${wanted[@]}"; do
  installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null ||
    fail "run this as root, or install sudo; missing packages: ${missing[*]}"
  as_root=(sudo)
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@" </dev/null
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "installing ${#missing[@]} packages: ${missing[*]}"
if ! { apt update && apt install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  fail "could not install ${missing[*]} (LLVM $LLVM comes with Debian 12's security updates)"
fi
