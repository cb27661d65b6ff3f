; Inline PTX: an instruction's name says what it costs.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=call --implicit-check-not="total "
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; A block with a register of its own, as the headers for half precision write it: one addition, of one lane and of two; a
; fused operation of two lanes; two conversions, of f32.
; CHECK-LABEL: counts of halves{{$}}
; CHECK: total flops_f16 = 3{{$}}
; CHECK: total flops_bf16 = 4{{$}}
; CHECK: total fma_bf16 = 2{{$}}
; CHECK: total fp_other_f32 = 3{{$}}
define void @halves(i16 %h, i32 %p, float %f) {
  %a = call i16 asm "{ .reg .f16 t;\0A add.f16 t,$1,$2; mov.b16 $0, t;\0A}", "=h,h,h"(i16 %h, i16 %h)
  %b = call i32 asm "{add.rn.f16x2 $0,$1,$2;\0A}", "=r,r,r"(i32 %p, i32 %p)
  %c = call i32 asm "{fma.rn.relu.bf16x2 $0,$1,$2,$3;}", "=r,r,r,r"(i32 %p, i32 %p, i32 %p)
  %d = call i16 asm "{  cvt.rn.f16.f32 $0, $1;}\0A", "=h,f"(float %f)
  %e = call i32 asm "cvt.rn.f16x2.f32 $0, $1, $2;", "=r,f,f"(float %f, float %f)
  ret void
}

; Single and double: 2 (fma), 1 division, 1 root and 1 sum; a comparison of f64; 1 special. Steps of rcp.approx, ex2.approx and sqrt.rn: 2, 0 to 2, 6 to 11.
; CHECK-LABEL: counts of floats{{$}}
; CHECK: total flops_f32 = 4{{$}}
; CHECK: total flops_f64 = 1{{$}}
; CHECK: total div_f32 = 1{{$}}
; CHECK: total sqrt_f32 = 1{{$}}
; CHECK: total fma_f32 = 1{{$}}
; CHECK: total special_f32 = 1{{$}}
; CHECK: total fp_other_f64 = 1{{$}}
; CHECK: total steps_low_f32 = 8{{$}}
; CHECK: total steps_high_f32 = 15{{$}}
define void @floats(float %f, double %d) {
  %a = call float asm "fma.rn.ftz.f32 $0, $1, $1, $1; // multiply and add\0A rcp.approx.f32 $0, $0;", "=f,f"(float %f)
  %b = call float asm "ex2.approx.f32 $0, $1; /* then a root; of it */ sqrt.rn.f32 $0, $0;", "=f,f"(float %f)
  %c = call i32 asm "{.reg .pred p; setp.lt.f64 p, $1, $1; mov.u32 $0, %clock;}", "=r,d"(double %d)
  %e = call double asm "add.rn.f64 $0, $1, $1;", "=d,d"(double %d)
  ret void
}

; Integers: an addition with carry, a logic operation of three inputs, a shift: 3, and the sum of mad; the products of mul
; and mad; a division.
; CHECK-LABEL: counts of integers{{$}}
; CHECK: total int_ops = 4{{$}}
; CHECK: total int_mul = 2{{$}}
; CHECK: total int_div = 1{{$}}
define void @integers(i32 %i) {
  %a = call i32 asm "add.cc.u32 $0,$1,$1; lop3.b32 $0,$0,$1,$1,0x96; shl.b32 $0,$0,2;", "=r,r"(i32 %i)
  %b = call i32 asm "mad.lo.s32 $0,$1,$1,$1; mul.hi.u32 $0,$0,$1; div.u32 $0,$0,$1;", "=r,r"(i32 %i)
  ret void
}

; Memory: 4 values of 4 bytes, a store of 2 bytes, a copy of as many bytes as the argument $2 says, an atomic on 8 bytes.
; CHECK-LABEL: counts of memory{{$}}
; CHECK: total atomics = 1{{$}}
; CHECK: total loads_global = 3{{$}}
; CHECK: total stores_global = 1{{$}}
; CHECK: total stores_shared = 2{{$}}
; CHECK: total load_bytes_global = 40{{$}}
; CHECK: total store_bytes_global = 8{{$}}
; CHECK: total store_bytes_shared = 18{{$}}
define void @memory(i32 %s, i64 %g, i16 %h) {
  %a = call { float, float, float, float } asm sideeffect "ld.global.nc.L1::no_allocate.v4.f32 {$0,$1,$2,$3}, [$4];", "=f,=f,=f,=f,l"(i64 %g)
  call void asm sideeffect "st.shared::cta.b16 [$0], $1;", "r,h"(i32 %s, i16 %h)
  call void asm sideeffect "cp.async.cg.shared.global.L2::128B [$0], [$1], $2;\0Acp.async.commit_group;\0A", "r,l,n"(i32 %s, i64 %g, i32 16)
  call void asm sideeffect "red.relaxed.gpu.global.add.u64 [$0], 1;", "l"(i64 %g)
  ret void
}

; Tensor: m16n8k16 is 128 a thread of a warp. wgmma is of 128 threads: 64·128·16·2/128 = 2048. ldmatrix.x2 is 8 bytes.
; A barrier.
; CHECK-LABEL: counts of tensor{{$}}
; CHECK: total flops_matrix_f16 = 2048{{$}}
; CHECK: total flops_matrix_bf16 = 128{{$}}
; CHECK: total barriers = 1{{$}}
; CHECK: total loads_shared = 1{{$}}
; CHECK: total load_bytes_shared = 8{{$}}
define void @tensor(i32 %r, i64 %d) {
  %a = call { i32, i32, i32, i32 } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0,$1,$2,$3}, {$4,$4,$4,$4}, {$4,$4}, {$0,$1,$2,$3};\0A", "=r,=r,=r,=r,r"(i32 %r)
  call void asm sideeffect "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {}, $0, $0, 1, 1, 1, 0, 0;", "l"(i64 %d)
  %b = call { i32, i32 } asm sideeffect "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {$0,$1}, [$2];", "=r,=r,r"(i32 %r)
  call void asm sideeffect "bar.sync 0;", ""()
  ret void
}

; Under a predicate: a sum where p holds, a difference where q does not. A move costs nothing. The names of the two are told
; apart in the order of the predicates: first !q.
; CHECK-LABEL: counts of predicated{{$}}
; CHECK: total int_ops = taken@predicated#2 - taken@predicated + 1{{$}}
; CHECK: unknown taken@predicated: share of its runs in which the predicate q of the inline assembly holds
; CHECK: unknown taken@predicated#2: share of its runs in which the predicate p of the inline assembly holds
define void @predicated(i32 %i) {
  %a = call i32 asm "{.reg .pred p; @p add.s32 $0, $0, $1; @!q sub.s32 $0, $0, $1; @!q mov.b32 $0, $1;}", "=r,r"(i32 %i)
  ret void
}

; A shuffle's predicate says whether the lane that it reads from exists. A step of a sum over a warp as CUB writes it, 4 lanes
; down, counts in the lanes 0 to 27: [lane <= 27]. 2 lanes up in groups of 8 threads (the mask 24 from bit 8 on: 6144):
; in the lanes 2 to 7 of each.
; CHECK-LABEL: counts of lanes{{$}}
; CHECK: runs 1: flops_f32=[27-block.x*block.y*threadIdx.z-block.x*threadIdx.y-threadIdx.x+32*floor(block.x*block.y*threadIdx.z+block.x*threadIdx.y+threadIdx.x,32)] flops_f64=[-2+block.x*block.y*threadIdx.z+block.x*threadIdx.y+threadIdx.x-8*floor(block.x*block.y*threadIdx.z+block.x*threadIdx.y+threadIdx.x,8)] int_ops=2
; CHECK: total flops_f32 = [32·
; CHECK: total flops_f64 = [
; CHECK: total int_ops = 2{{$}}
; CHECK-NOT: unknown
define void @lanes(float %f, double %d) {
  %a = call float asm sideeffect "{ .reg .f32 r0; .reg .pred p; shfl.sync.down.b32 r0|p, $1, $2, $3, $4; @p add.f32 r0, r0, $5; mov.f32 $0, r0;}", "=f,f,r,r,r,f"(float %f, i32 4, i32 31, i32 -1, float %f)
  %b = call double asm sideeffect "{ .reg .pred p; shfl.sync.up.b32 lo|p, lo, 2, 6144, -1; @p add.f64 $0, $1, $1;}", "=d,d"(double %d)
  ret void
}

; Open is what no rule counts, by name: an unknown instruction, a copy of unknown length; the addition beside it counts.
; Where the code jumps, nothing of it does.
; CHECK-LABEL: counts of open{{$}}
; CHECK: call inline assembly: tcgen05.mma.cta_group::1.kind::f16(
; CHECK: call inline assembly: cp.async.ca.shared.global(
; CHECK: call inline assembly: bra(
; CHECK: total int_ops = 1{{$}}
define void @open(i32 %i, i64 %g) {
  call void asm sideeffect "tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $1, $0, p; add.s32 $0, $0, $0;", "r,l"(i32 %i, i64 %g)
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 16, $0;", "r,l"(i32 %i, i64 %g)
  call void asm sideeffect "again: add.s32 $0, $0, $0; @p bra again;", "r"(i32 %i)
  ret void
}
