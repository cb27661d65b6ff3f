; Tensor instructions and the memory that NVVM intrinsics move: a thread's share of what its warp does.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=call --implicit-check-not="total "
target triple = "nvptx64-nvidia-cuda"

; cp.async copies 16 bytes from global to shared memory; of 8 bytes that it writes it reads 4, the others are zeros.
; CHECK-LABEL: counts of copy{{$}}
; CHECK: total loads_global = 2{{$}}
; CHECK: total stores_shared = 2{{$}}
; CHECK: total load_bytes_global = 20{{$}}
; CHECK: total store_bytes_shared = 24{{$}}
define void @copy(ptr addrspace(3) %s, ptr addrspace(1) %g) {
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 4)
  call void @llvm.nvvm.cp.async.wait.all()
  ret void
}

; Where it hangs on a value how much is read, the copy is open.
; CHECK-LABEL: counts of ragged_copy{{$}}
; CHECK: call llvm.nvvm.cp.async.ca.shared.global.8.s(
define void @ragged_copy(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %n) {
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %n)
  ret void
}

; mma.m16n8k16 of a warp: 16·8·16 multiply-adds, 2 each, shared by its 32 threads: 128 a thread.
; CHECK-LABEL: counts of tensor{{$}}
; CHECK: total flops_matrix_f16 = 128{{$}}
define void @tensor(<2 x half> %h, float %f) {
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %h, <2 x half> %h,
    <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, float %f, float %f, float %f, float %f)
  ret void
}

; m8n8k4 in double: 8·8·4·2/32 = 16. In half each quarter of the warp has matrices of its own: 4·16 = 64.
; m8n8k16 of bytes: 8·8·16·2/32 = 64.
; CHECK-LABEL: counts of small{{$}}
; CHECK: total flops_matrix_f16 = 64{{$}}
; CHECK: total flops_matrix_f64 = 16{{$}}
; CHECK: total flops_matrix_i8 = 64{{$}}
define void @small(<2 x half> %h, double %d, i32 %i) {
  %a = call { double, double } @llvm.nvvm.mma.m8n8k4.row.col.f64(double %d, double %d, double %d, double %d)
  %b = call { <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.mma.m8n8k4.row.col.f16.f16(<2 x half> %h,
    <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h)
  %c = call { i32, i32 } @llvm.nvvm.mma.m8n8k16.row.col.s8(i32 %i, i32 %i, i32 %i, i32 %i)
  ret void
}

; WMMA: the 16·16 halves of a fragment are 512 bytes, 16 for each of 32 threads; 16·16·16·2/32 = 256 flops; the 16·16
; sums in single precision are 1024 bytes, 32 a thread.
; CHECK-LABEL: counts of fragments{{$}}
; CHECK: total flops_matrix_f16 = 256{{$}}
; CHECK: total loads_global = 1{{$}}
; CHECK: total stores_global = 1{{$}}
; CHECK: total load_bytes_global = 16{{$}}
; CHECK: total store_bytes_global = 32{{$}}
define void @fragments(ptr addrspace(1) %p, <2 x half> %h, float %f) {
  %a = call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> }
    @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p1(ptr addrspace(1) %p, i32 16)
  %d = call { float, float, float, float, float, float, float, float } @llvm.nvvm.wmma.m16n16k16.mma.row.row.f32.f32(
    <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h,
    <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h,
    float %f, float %f, float %f, float %f, float %f, float %f, float %f, float %f)
  call void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f32.p1(ptr addrspace(1) %p, float %f, float %f, float %f,
    float %f, float %f, float %f, float %f, float %f, i32 16)
  ret void
}

; ldmatrix.x4: four matrices of 8·8 halves, 512 bytes for a warp, 16 a thread.
; CHECK-LABEL: counts of matrices{{$}}
; CHECK: total loads_shared = 1{{$}}
; CHECK: total load_bytes_shared = 16{{$}}
define void @matrices(ptr addrspace(3) %p) {
  %a = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %p)
  ret void
}

; A texture gives four values of 4 bytes, the code looks at one. A surface gives what the instruction says.
; CHECK-LABEL: counts of texture{{$}}
; CHECK: total loads_global = 2{{$}}
; CHECK: total stores_global = 1{{$}}
; CHECK: total load_bytes_global = 12{{$}}
; CHECK: total store_bytes_global = 2{{$}}
define float @texture(i64 %t, float %x, i32 %i, i16 %s) {
  %r = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64 %t, float %x, float %x)
  %v = extractvalue { float, float, float, float } %r, 0
  %u = call { i32, i32 } @llvm.nvvm.suld.2d.v2i32.clamp(i64 %t, i32 %i, i32 %i)
  call void @llvm.nvvm.sust.b.2d.v2i8.clamp(i64 %t, i32 %i, i32 %i, i16 %s, i16 %s)
  ret float %v
}
