; Memory that NVVM intrinsics move, and tensor instructions: no rule counts them yet, so they are open calls.
; RUN: %opt -passes='print<ergon-cost>' -disable-output %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; cp.async copies 16 bytes from global to shared memory.
; CHECK-LABEL: cost of copy
; CHECK: call llvm.nvvm.cp.async.cg.shared.global.16(
; CHECK-NOT: total
define void @copy(ptr addrspace(3) %s, ptr addrspace(1) %g) {
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
  ret void
}

; mma.m16n8k16 of a warp: 16·8·16 multiply-adds, 2 each, shared by its 32 threads: 128 a thread.
; CHECK-LABEL: cost of tensor
; CHECK: call llvm.nvvm.mma.m16n8k16.row.col.f32.f32(
; CHECK-NOT: total
define void @tensor(<2 x half> %h, float %f) {
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %h, <2 x half> %h,
    <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, float %f, float %f, float %f, float %f)
  ret void
}
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)
