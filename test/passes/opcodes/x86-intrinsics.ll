; Intrinsics of x86: the operation is in the name, the lanes are in the types.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; hadd: 4 additions. rsqrt of 8: 8 flops, each a square root. One reciprocal of 4 values (.ss): 1 flop.
; CHECK-LABEL: counts of arithmetic
; CHECK: total flops_f32 = 9{{$}}
; CHECK-NEXT: total flops_f64 = 4{{$}}
; CHECK-NEXT: total div_f32 = 1{{$}}
; CHECK-NEXT: total sqrt_f32 = 8{{$}}
define void @arithmetic(<4 x double> %d, <8 x float> %f, <4 x float> %s) {
  %1 = call <4 x double> @llvm.x86.avx.hadd.pd.256(<4 x double> %d, <4 x double> %d)
  %2 = call <8 x float> @llvm.x86.avx.rsqrt.ps.256(<8 x float> %f)
  %3 = call <4 x float> @llvm.x86.sse.rcp.ss(<4 x float> %s)
  ret void
}

; A dot product of the three lower ones of four, in each half: 0x71 chooses 3 products, so 3 + 2 flops, twice.
; CHECK-LABEL: counts of dot
; CHECK: total flops_f32 = 10{{$}}
define void @dot(<8 x float> %f) {
  %1 = call <8 x float> @llvm.x86.avx.dp.ps.256(<8 x float> %f, <8 x float> %f, i8 113)
  ret void
}

; Minimum of 2, of one, comparison of one, rounding of 4, conversion of 4 doubles: 2 + 1 + 1 + 4 + 4; a choice is a move.
; CHECK-LABEL: counts of other
; CHECK: total fp_other_f64 = 12{{$}}
; CHECK-NOT: total
define void @other(<2 x double> %d, <4 x double> %q) {
  %1 = call <2 x double> @llvm.x86.sse2.min.pd(<2 x double> %d, <2 x double> %d)
  %2 = call <2 x double> @llvm.x86.sse2.min.sd(<2 x double> %d, <2 x double> %d)
  %3 = call i32 @llvm.x86.sse2.comieq.sd(<2 x double> %d, <2 x double> %d)
  %4 = call <4 x double> @llvm.x86.avx.round.pd.256(<4 x double> %q, i32 8)
  %5 = call <4 x i32> @llvm.x86.avx.cvtt.pd2dq.256(<4 x double> %q)
  %6 = call <4 x double> @llvm.x86.avx.blendv.pd.256(<4 x double> %q, <4 x double> %q, <4 x double> %q)
  ret void
}

; pmaddwd: 8 products, 4 sums. A checksum step: 1. Fences and shuffles are free.
; CHECK-LABEL: counts of integers
; CHECK: total int_ops = 5{{$}}
; CHECK-NEXT: total int_mul = 8{{$}}
; CHECK-NOT: total
define void @integers(<8 x i16> %v, <16 x i8> %b, i32 %x) {
  %1 = call <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16> %v, <8 x i16> %v)
  %2 = call i32 @llvm.x86.sse42.crc32.32.32(i32 %x, i32 %x)
  %3 = call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> %b, <16 x i8> %b)
  call void @llvm.x86.sse2.mfence()
  ret void
}

; A gather moves each of 4 lanes by itself, a masked load all 32 bytes at once; at most, where the mask is a value.
; CHECK-LABEL: counts of masked
; CHECK: runs 1: loads_memory=4 load_bytes_memory=32
; CHECK: runs 1 (at most): loads_memory=6 stores_memory=2 load_bytes_memory=96 store_bytes_memory=64
define void @masked(ptr %p, <4 x i32> %i, <4 x i64> %m, <4 x double> %d, <4 x i1> %c) {
  %1 = call <4 x double> @llvm.x86.avx2.gather.d.pd.256(<4 x double> zeroinitializer, ptr %p, <4 x i32> %i, <4 x double> splat (double 0xFFFFFFFFFFFFFFFF), i8 8)
  %2 = call <4 x double> @llvm.x86.avx2.gather.d.pd.256(<4 x double> zeroinitializer, ptr %p, <4 x i32> %i, <4 x double> %d, i8 8)
  %3 = call <4 x double> @llvm.x86.avx.maskload.pd.256(ptr %p, <4 x i64> %m)
  call void @llvm.x86.avx.maskstore.pd.256(ptr %p, <4 x i64> %m, <4 x double> %d)
  %4 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr align 8 %p, <4 x i1> %c, <4 x double> %d)
  call void @llvm.masked.store.v4f64.p0(<4 x double> %d, ptr align 8 %p, <4 x i1> %c)
  ret void
}
