# shellcheck shell=bash
# What the scripts beside this file share; sourced, not run.
# Goes to the top of the tree; gives announce, run_step, configure and LOGS. A script sets STEPS, how many it announces.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
BUILD=build
LOGS=$BUILD/logs
mkdir -p "$LOGS"

# announce WHAT: shows on the standard error which step begins.
step=0
announce() {
  step=$((step + 1))
  printf 'step %d of %d: %s\n' $step "$STEPS" "$1" >&2
}

# show_progress LOG: shows the last [n/m] of ninja in LOG, in place, as long as the script runs.
show_progress() {
  while kill -0 $$ 2>/dev/null; do
    printf '\r%s' "$(tail -c 4096 "$1" | grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1)" >&2
    sleep 1
  done
}

# run_silently NAME COMMAND…: the output of COMMAND goes to a log; a terminal shows the progress of a build.
# Returns the command's status.
run_silently() {
  local log=$LOGS/${1//[^a-zA-Z0-9]/-}.log status=0 viewer
  shift
  : >"$log"
  if [ ! -t 2 ]; then
    "$@" </dev/null >"$log" 2>&1
    return
  fi
  show_progress "$log" &
  viewer=$!
  "$@" </dev/null >"$log" 2>&1 || status=$?
  kill $viewer
  wait $viewer 2>/dev/null || true
  printf '\r\033[K' >&2
  return $status
}

# run_step NAME COMMAND…: announces and runs COMMAND; where it fails, shows the end of its output and stops.
# NAME may end in a remark in brackets, which the log's name leaves out.
run_step() {
  local name=${1%% (*} log status=0
  announce "$1"
  shift
  log=$LOGS/${name//[^a-zA-Z0-9]/-}.log
  run_silently "$name" "$@" || status=$?
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
  if [ -f $BUILD/build.ninja ] &&
    { [ $want = OFF ] || grep -q '^ERGON_TESTS:BOOL=ON$' $BUILD/CMakeCache.txt; }; then
    announce "configure (done before)"
    return
  fi
  run_step configure cmake --preset release -DERGON_TESTS=$want
}
