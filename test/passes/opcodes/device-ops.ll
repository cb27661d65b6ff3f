; NVVM's own operations: barriers, atomics, fused and approximate arithmetic.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total \
; RUN:   "-DT=block.x·block.y·block.z·grid.x·grid.y·grid.z"
; Each thread of a kernel's launch does the same here, so a kernel's counts are those of one thread times the threads T.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; __syncthreads twice.
; CHECK-LABEL: counts of barriers{{$}}
; CHECK: total barriers = 2{{$}}
define void @barriers() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

; atomicAdd on global memory: an atomic, a load and a store of 4 bytes.
; CHECK-LABEL: counts of atomic (kernel)
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
; CHECK-LABEL: counts of fused{{$}}
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

; Division, reciprocal, square root and its reciprocal: a flop each, in div_ and sqrt_. Their steps: 1 to 3, 5 to 9, 6 to 11, 0 to 2.
; CHECK-LABEL: counts of divisions{{$}}
; CHECK: total flops_f32 = 4{{$}}
; CHECK: total div_f32 = 2{{$}}
; CHECK: total sqrt_f32 = 2{{$}}
; CHECK: total steps_low_f32 = 12{{$}}
; CHECK: total steps_high_f32 = 25{{$}}
define void @divisions(float %f) {
  %a = call float @llvm.nvvm.div.approx.f(float %f, float %f)
  %b = call float @llvm.nvvm.rcp.rn.f(float %f)
  %c = call float @llvm.nvvm.sqrt.rn.f(float %f)
  %d = call float @llvm.nvvm.rsqrt.approx.f(float %f)
  ret void
}

; The special function unit: sine, cosine, 2^x, log2. Steps beside it: 1, 1, 0 to 2, 0 to 2.
; CHECK-LABEL: counts of special{{$}}
; CHECK: total special_f32 = 4{{$}}
; CHECK: total steps_low_f32 = 2{{$}}
; CHECK: total steps_high_f32 = 6{{$}}
define void @special(float %f) {
  %a = call float @llvm.nvvm.sin.approx.f(float %f)
  %b = call float @llvm.nvvm.cos.approx.f(float %f)
  %c = call float @llvm.nvvm.ex2.approx.f32(float %f)
  %d = call float @llvm.nvvm.lg2.approx.f(float %f)
  ret void
}

; The product and the sum may be one operation, so they count as fused: 2 flops, 1 fma. A product that is used twice is
; computed by itself, so its two sums are flops: 3, no fma; it may be computed again in each: a step. A product in another type of two lanes: 4 flops, 2 fma.
; CHECK-LABEL: counts of contracted{{$}}
; CHECK: total flops_f16 = 4{{$}}
; CHECK: total flops_f32 = 5{{$}}
; CHECK: total fma_f16 = 2{{$}}
; CHECK: total fma_f32 = 1{{$}}
; CHECK: total steps_high_f32 = 1{{$}}
define void @contracted(float %f, <2 x half> %h) {
  %p = fmul contract float %f, %f
  %s = fsub contract float %f, %p
  %q = fmul contract float %s, %f
  %t = fadd contract float %q, %f
  %u = fadd contract float %q, %s
  %v = fmul contract <2 x half> %h, %h
  %w = fadd contract <2 x half> %v, %h
  ret void
}

; Without the leave to contract they stay two.
; CHECK-LABEL: counts of apart{{$}}
; CHECK: total flops_f32 = 2{{$}}
define void @apart(float %f) {
  %p = fmul contract float %f, %f
  %s = fadd float %f, %p
  ret void
}

; Two floats into a pair of bfloat16: two conversions from f32. A pair of eight-bit numbers into halves: two of f16. To
; double and back: the wider type's. tf32 from f32; the high half of a double's bits is no conversion.
; CHECK-LABEL: counts of conversions{{$}}
; CHECK: total fp_other_f16 = 2{{$}}
; CHECK: total fp_other_f32 = 3{{$}}
; CHECK: total fp_other_f64 = 2{{$}}
define void @conversions(float %f, double %d, i16 %s, i32 %i) {
  %a = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float %f, float %f)
  %b = call <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 %s)
  %c = call float @llvm.nvvm.d2f.rn(double %d)
  %e = call double @llvm.nvvm.i2d.rn(i32 %i)
  %g = call i32 @llvm.nvvm.f2tf32.rna(float %f)
  %h = call i32 @llvm.nvvm.d2i.hi(double %d)
  ret void
}

; Exchanges between threads, a dot product of four bytes (4 multiplications and additions), a multiplication's high half.
; CHECK-LABEL: counts of exchanges{{$}}
; CHECK: total int_ops = 7{{$}}
; CHECK: total int_mul = 5{{$}}
define void @exchanges(i32 %i, float %f, i1 %c) {
  %a = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %f, i32 1, i32 31)
  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %c)
  %d = call i32 @llvm.nvvm.redux.sync.add(i32 %i, i32 -1)
  %e = call i32 @llvm.nvvm.idp4a.s.s(i32 %i, i32 %i, i32 %i)
  %g = call i32 @llvm.nvvm.mulhi.i(i32 %i, i32 %i)
  ret void
}

; Who arrives at a barrier counts, of a warp, a block or a cluster; who waits for the others is counted already.
; CHECK-LABEL: counts of arrivals{{$}}
; CHECK: total barriers = 3{{$}}
define void @arrivals(ptr addrspace(3) %b) {
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void @llvm.nvvm.barrier.cluster.arrive()
  call void @llvm.nvvm.barrier.cluster.wait()
  %s = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %b)
  %w = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) %b, i64 %s)
  call void @llvm.nvvm.membar.gl()
  ret void
}

; An atomic with a scope of its own: an atomic, a load and a store of 4 bytes.
; CHECK-LABEL: counts of scoped{{$}}
; CHECK: total atomics = 1{{$}}
; CHECK: total loads_global = 1{{$}}
; CHECK: total stores_global = 1{{$}}
; CHECK: total load_bytes_global = 4{{$}}
; CHECK: total store_bytes_global = 4{{$}}
define void @scoped(ptr addrspace(1) %p) {
  %a = call i32 @llvm.nvvm.atomic.add.gen.i.sys.i32.p1(ptr addrspace(1) %p, i32 1)
  ret void
}

; Reading a special register costs nothing.
; CHECK-LABEL: counts of registers{{$}}
define i32 @registers() {
  %a = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %a
}
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
