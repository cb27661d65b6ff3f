; Memory that NVVM intrinsics move, and tensor instructions. Fails on 2026-11-21: all are free in silence.
; RUN: %opt -passes='print<ergon-cost>' -disable-output %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; cp.async copies 16 bytes from global to shared memory.
; CHECK-LABEL: cost of copy
; CHECK: total loads_global = 1{{$}}
; CHECK: total stores_shared = 1{{$}}
; CHECK: total load_bytes_global = 16{{$}}
; CHECK: total store_bytes_shared = 16{{$}}
define void @copy(ptr addrspace(3) %s, ptr addrspace(1) %g) {
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
  ret void
}

; mma.m16n8k16 of a warp: 16·8·16 multiply-adds, 2 each, shared by its 32 threads: 128 a thread.
; CHECK-LABEL: cost of tensor
; CHECK: total flops_matrix_f16 = 128{{$}}
define void @tensor(<2 x half> %h, float %f) {
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %h, <2 x half> %h,
    <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, float %f, float %f, float %f, float %f)
  ret void
}
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)
