#!/bin/sh
# debug_info_options.sh CLANG++ ERGON FILE: records FILE with each option of debug information, at two levels. Fails where an
# object file is not the one without Ergon. records-LEVEL-OPTION are the records.
set -eu
for level in -O0 -O2; do
  for debug in "" -g0 -g -gline-tables-only "-g -fstandalone-debug"; do
    # shellcheck disable=SC2086 # no option, or two
    "$1" $level $debug -c "$3" -o object.o
    mv object.o plain.o
    # shellcheck disable=SC2086
    "$2" record -d "records$level$(echo "$debug" | tr -d ' ')" -- "$1" $level $debug -c "$3" -o object.o
    cmp plain.o object.o
  done
done
