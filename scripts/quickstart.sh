#!/usr/bin/env bash
# From nothing to a first prediction: installs what is missing, builds the command, the plugin, the runtime and the
# page of `ergon report` (all that docs/guide.md uses), compiles examples/ with the plugin and prints what they will cost.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

PLUGIN=$PWD/$BUILD/lib/ErgonPasses.so
ERGON=$BUILD/bin/ergon
RECORDS=$BUILD/examples

# compile NAME COMPILER ARGUMENT…: compiles with the plugin; the record goes to $RECORDS/NAME.
compile() {
  local name=$1 compiler=$2
  shift 2
  mkdir -p "$RECORDS/$name"
  run_step "compile $name" "$compiler" -O2 -g "-fpass-plugin=$PLUGIN" \
    -mllvm "-ergon-dir=$RECORDS/$name" "$@" -o "$RECORDS/$name.o"
}

# predict NAME ARGUMENT…: shows the command, then what it prints.
predict() {
  local name=$1
  shift
  run_step "predict $name" "$ERGON" predict "$RECORDS/$name" "$@"
  printf '\n$ %s\n' "$ERGON predict $RECORDS/$name $*"
  cat "$LOGS/predict-$name.log"
}

# Nothing runs on a GPU here, so none is needed: the toolkit's headers are.
STEPS=9
CUDA_FLAGS=$(scripts/cuda-flags.sh) || STEPS=7

announce "install missing packages"
scripts/install-packages.sh build
configure no-tests
run_step "build (some minutes the first time)" cmake --build $BUILD --target ergon ErgonPasses ergon_rt
# The page is bundled with packages from npm: without a network all the rest is there.
PAGE="cmake --build $BUILD --target ergon_report_page ergon_report_wasm"
announce "build the page of \`ergon report\`"
# shellcheck disable=SC2086 # a command with its arguments on purpose
if ! run_silently page $PAGE; then
  printf 'The page of `ergon report` was left out (%s): %s makes it, and `ergon report --static` needs none.\n' \
    "$LOGS/page.log" "\`$PAGE\`"
fi

rm -rf "$RECORDS"
compile gemm clang-22 -c examples/gemm.c
# This machine, measured coarsely; a shipped one, by its peak rates, where others keep it too busy.
MACHINE=$RECORDS/here.json
announce "measure this machine (half a minute): $ERGON calibrate --quick -o $MACHINE"
if ! "$ERGON" calibrate --quick -o "$MACHINE" >"$LOGS/calibrate.log" 2>&1; then
  printf 'It did not work: %s\n' "$(tail -n 1 "$LOGS/calibrate.log")"
  MACHINE=i7-950
fi
predict gemm --entry gemm --set n=1000 --machine "$MACHINE"

if [ $STEPS = 9 ]; then
  # shellcheck disable=SC2086 # a list of flags on purpose
  compile saxpy clang++-22 $CUDA_FLAGS -c examples/saxpy.cu
  predict saxpy --entry saxpy --set n=16777216 --set grid.x=65536 --set block.x=256 --machine rtx4090
else
  printf '\nThe CUDA example was left out: %s\n' "$CUDA_FLAGS"
fi
