#!/bin/sh
# One action as a sandboxed build system runs it: in a folder of its own that has the inputs and goes
# away afterwards, without the environment but for what is named.
#   sandbox.sh PROJECT NAMES COMMAND…    NAMES: variables to pass on, with commas
project=$1 names=$2
shift 2
folder=$(mktemp -d "${TMPDIR:-/tmp}/sandbox.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cp -r "$project/." "$folder"
passed="PATH=$PATH"
for name in $(echo "$names" | tr , ' '); do
  eval "value=\$$name"
  passed="$passed
$name=$value"
done
cd "$folder" || exit 1
IFS='
'
env -i $passed "$@"
