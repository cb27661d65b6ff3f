# shellcheck shell=bash
# What the scripts beside this file share; sourced, not run.
# Goes to the top of the tree; gives run_step, configure and LOGS.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
BUILD=build
LOGS=$BUILD/logs
mkdir -p "$LOGS"

# run_step NAME COMMAND…: runs COMMAND silently; where it fails, shows the end of what it said and stops.
run_step() {
  local name=$1 log status=0
  shift
  log=$LOGS/${name//[^a-zA-Z0-9]/-}.log
  "$@" </dev/null >"$log" 2>&1 || status=$?
  [ $status = 0 ] && return
  {
    tail -n 60 "$log"
    echo "FAILED: $name (exit status $status); the whole output is in $log; the command was: $*"
  } >&2
  exit 1
}

# configure tests|no-tests: makes the release build's ninja files where they are missing. A build folder
# that has the tests keeps them, so that the two commands do not undo each other.
configure() {
  local want=OFF
  [ "$1" = tests ] && want=ON
  if [ -f $BUILD/build.ninja ]; then
    [ $want = OFF ] && return
    grep -q '^ERGON_TESTS:BOOL=ON$' $BUILD/CMakeCache.txt && return
  fi
  run_step configure cmake --preset release -DERGON_TESTS=$want
}
