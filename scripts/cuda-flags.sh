#!/usr/bin/env bash
# Prints the flags with which clang compiles CUDA on this machine, for ERGON_CUDA_ARCH (default sm_80).
# Where no toolkit is installed: says so, with what to install, and exits 1.
set -euo pipefail

# nvcc may be a wrapper that stands elsewhere: a folder counts only where headers and device library are.
nvcc=$(command -v nvcc || true)
for folder in "${CUDA_PATH:-}" /usr/local/cuda /usr/lib/cuda \
  ${nvcc:+"$(dirname "$(dirname "$(readlink -f "$nvcc")")")"}; do
  if [ -n "$folder" ] && [ -f "$folder/include/cuda_runtime.h" ] &&
    [ -d "$folder/nvvm/libdevice" ] && [ -x "$folder/bin/ptxas" ]; then
    # clang 22 knows CUDA up to 12.9 by name and warns about a later one, which works all the same.
    echo "--cuda-path=$folder --cuda-gpu-arch=${ERGON_CUDA_ARCH:-sm_80} -Wno-unknown-cuda-version"
    exit 0
  fi
done
echo "no CUDA toolkit in \$CUDA_PATH, /usr/local/cuda or /usr/lib/cuda; NVIDIA's package" \
  "cuda-toolkit or Debian's nvidia-cuda-toolkit (non-free) brings one"
exit 1
