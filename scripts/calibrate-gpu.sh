#!/usr/bin/env bash
# A profile of a GPU on a machine that has a driver and nothing else: scripts/calibrate-gpu.sh pack FOLDER
#
# Puts into FOLDER the command with the libraries that it needs, the kernels of `ergon calibrate --gpu`, workloads
# that calibration never saw with their records, and run.sh, which measures all of it there:
#
#   FOLDER/run.sh OUT [OPTIONS OF ergon calibrate]     goes on from what an earlier run left in OUT
#
# Back here bench/gpu_accuracy.py holds predictions against what OUT has. Clocks and power limits are not touched.
set -euo pipefail
here=$(dirname "$(dirname "$(readlink -f "$0")")")
build=${ERGON_BUILD:-$here/build}

fail() {
  echo "calibrate-gpu.sh: $*" >&2
  exit 2
}

[ $# = 2 ] && [ "$1" = pack ] || fail "usage: scripts/calibrate-gpu.sh pack FOLDER"
for file in bin/ergon lib/ergon_calibrate.fatbin lib/libergon_rt.so lib/ErgonPasses.so; do
  [ -e "$build/$file" ] || fail "$build/$file is not there: build Ergon with a CUDA toolkit first"
done
flags=$("$here/scripts/cuda-flags.sh") || fail "$flags"
toolkit=${flags%% *}
toolkit=${toolkit#--cuda-path=}
thrust=$toolkit/include
[ -d "$thrust/cccl" ] && thrust=$thrust/cccl

mkdir -p "$2"
folder=$(readlink -f "$2")
rm -rf "$folder/bin" "$folder/lib" "$folder/records"
mkdir -p "$folder/bin" "$folder/lib" "$folder/records"

# Machine code for the GPUs that the toolkit knows, and PTX for later ones.
architectures=(--cuda-gpu-arch=sm_80 --cuda-include-ptx=sm_80)
for each in 90 100 120; do
  "$toolkit/bin/ptxas" --help | grep -q "'sm_$each'" && architectures+=("--cuda-gpu-arch=sm_$each")
done
clang++-22 ${flags% --cuda-gpu-arch*} -Wno-unknown-cuda-version "${architectures[@]}" -isystem "$thrust" \
  -std=c++17 -O2 -g -I"$here" "$here/bench/inputs/gpu_workloads.cu" -o "$folder/bin/gpu_workloads" \
  -L"$toolkit/lib64" -lcudart_static -ldl -lrt -pthread -L"$build/lib" -lergon_rt
clang++-22 ${flags% --cuda-gpu-arch*} -Wno-unknown-cuda-version "${architectures[@]}" \
  -std=c++17 -O2 "$here/bench/inputs/gpu_latencies.cu" -o "$folder/bin/gpu_latencies" \
  -L"$toolkit/lib64" -lcudart_static -ldl -lrt -pthread
# What is predicted is one GPU's code.
# shellcheck disable=SC2086 # flags are words
clang++-22 $flags -isystem "$thrust" -std=c++17 -O2 -g -I"$here" \
  -fpass-plugin="$build/lib/ErgonPasses.so" -mllvm -ergon-dir="$folder/records" \
  -c "$here/bench/inputs/gpu_workloads.cu" -o /dev/null

cp "$build/bin/ergon" "$folder/bin/"
cp "$build/lib/ergon_calibrate.fatbin" "$build/lib/libergon_rt.so" "$folder/lib/"
for program in ergon gpu_workloads gpu_latencies; do
  LD_LIBRARY_PATH=$build/lib ldd "$folder/bin/$program" | awk '$2 == "=>" && $3 ~ /^\// {print $3} $1 ~ /^\/.*ld-linux/ {print $1}' |
    xargs -I{} cp -nL {} "$folder/lib/"
done

cat >"$folder/run.sh" <<'EOF'
#!/usr/bin/env bash
# Calibrates the GPU, then measures latencies, copies, and workloads that calibration never saw: run.sh OUT [OPTIONS OF ergon calibrate]
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: run.sh OUT [OPTIONS OF ergon calibrate]" >&2; exit 2; }
folder=$(dirname "$(readlink -f "$0")")
mkdir -p "$1"
out=$(readlink -f "$1")
shift
# The libraries that these programs were built with, whatever this system has; the driver is this system's.
run() { "$folder"/lib/ld-linux-*.so.* --library-path "$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$folder/bin/$1" "${@:2}"; }
export ERGON_CUDA_IMAGE=$folder/lib/ergon_calibrate.fatbin
[ -e "$out/gpu.json" ] || run ergon calibrate --gpu -o "$out/gpu.json" "$@" | tee "$out/calibration.txt"
run gpu_latencies | tee "$out/latencies.jsonl"
rm -rf "$out/runs"
ERGON_METERS=nvml ERGON_RUN_DIR=$out/runs run gpu_workloads "${WORKLOAD_SECONDS:-4}" | tee "$out/workloads.jsonl"
EOF
chmod +x "$folder/run.sh"
du -sh "$folder" | awk '{print $1 " in " $2}'
