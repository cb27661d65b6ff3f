; NVVM's own operations: barriers, atomics, fused and approximate arithmetic.
; RUN: %opt -passes='print<ergon-cost>' -disable-output %s | FileCheck %s --implicit-check-not=total \
; RUN:   "-DT=block.x·block.y·block.z·grid.x·grid.y·grid.z"
; Each thread of a kernel's launch does the same here, so a kernel's counts are those of one thread times the threads T.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; __syncthreads twice.
; CHECK-LABEL: cost of barriers{{$}}
; CHECK: total barriers = 2{{$}}
define void @barriers() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

; atomicAdd on global memory: an atomic, a load and a store of 4 bytes.
; CHECK-LABEL: cost of atomic (kernel)
; CHECK: total atomics = [[T]]{{$}}
; CHECK: total loads_global = [[T]]{{$}}
; CHECK: total stores_global = [[T]]{{$}}
; CHECK: total load_bytes_global = 4·[[T]]{{$}}
; CHECK: total store_bytes_global = 4·[[T]]{{$}}
define ptx_kernel void @atomic(ptr %p) {
  %a = atomicrmw fadd ptr %p, float 1.0 monotonic
  ret void
}

; A GPU fuses fmuladd always. fma.rn is fused; add.rn and mul.rn are flops.
; CHECK-LABEL: cost of fused{{$}}
; CHECK: total flops_f32 = 4{{$}}
; CHECK: total flops_f64 = 2{{$}}
; CHECK: total fma_f32 = 1{{$}}
; CHECK: total fma_f64 = 1{{$}}
define void @fused(float %f, double %d) {
  %a = call float @llvm.fmuladd.f32(float %f, float %f, float %f)
  %b = call double @llvm.nvvm.fma.rn.d(double %d, double %d, double %d)
  %c = call float @llvm.nvvm.add.rn.f(float %f, float %f)
  %e = call float @llvm.nvvm.mul.rn.f(float %f, float %f)
  ret void
}

; Division, reciprocal, square root and its reciprocal: a flop each, in div_ and sqrt_.
; CHECK-LABEL: cost of divisions{{$}}
; CHECK: total flops_f32 = 4{{$}}
; CHECK: total div_f32 = 2{{$}}
; CHECK: total sqrt_f32 = 2{{$}}
define void @divisions(float %f) {
  %a = call float @llvm.nvvm.div.approx.f(float %f, float %f)
  %b = call float @llvm.nvvm.rcp.rn.f(float %f)
  %c = call float @llvm.nvvm.sqrt.rn.f(float %f)
  %d = call float @llvm.nvvm.rsqrt.approx.f(float %f)
  ret void
}

; The special function unit: sine, cosine, 2^x, log2.
; CHECK-LABEL: cost of special{{$}}
; CHECK: total special_f32 = 4{{$}}
define void @special(float %f) {
  %a = call float @llvm.nvvm.sin.approx.f(float %f)
  %b = call float @llvm.nvvm.cos.approx.f(float %f)
  %c = call float @llvm.nvvm.ex2.approx.f32(float %f)
  %d = call float @llvm.nvvm.lg2.approx.f(float %f)
  ret void
}

; Reading a special register costs nothing.
; CHECK-LABEL: cost of registers{{$}}
define i32 @registers() {
  %a = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %a
}
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
