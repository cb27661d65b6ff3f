#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests under one lit. The last line counts the
# tests: "N passed, N failed, N skipped". Exits 1 where one failed, or where none ran.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck disable=SC2034 # announce reads it
STEPS=4

announce "install missing packages"
scripts/install-packages.sh build test
configure tests
run_step "build (some minutes the first time)" cmake --build $BUILD

# The results are read from lit's report, so an old one must not be there.
report=$BUILD/test/results.json
rm -f $report
announce "run all tests (some minutes)"
lit="$(llvm-config-22 --bindir)/lit"
status=0
"$lit" --quiet --test-output=failed --timeout=600 --output=$report \
  $BUILD/test $BUILD/test/unit </dev/null >$LOGS/lit.log 2>&1 || status=$?
if [ $status != 0 ] || [ ! -s $report ]; then
  cat $LOGS/lit.log
fi
/usr/bin/python3 scripts/closing_line.py $report $status
