; Intrinsics that do work or move data: counted where a rule knows them, else open calls, never free in silence.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; -ffp-model=strict writes a sum and a product as these: 2 flops, and a compare.
; CHECK-LABEL: counts of constrained
; CHECK: total flops_f64 = 2{{$}}
; CHECK: total fp_other_f64 = 1{{$}}
define void @constrained(double %d) strictfp {
  %a = call double @llvm.experimental.constrained.fadd.f64(double %d, double %d, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %b = call double @llvm.experimental.constrained.fmul.f64(double %d, double %d, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %c = call i1 @llvm.experimental.constrained.fcmp.f64(double %d, double %d, metadata !"olt", metadata !"fpexcept.strict") strictfp
  ret void
}

; The vectorizer makes these of a conditional load and store: 32 bytes each at most, how many lanes move depends on data.
; CHECK-LABEL: counts of masked
; CHECK: runs 1 (at most): loads_memory=1 stores_memory=1 load_bytes_memory=32 store_bytes_memory=32
define void @masked(ptr %p, <4 x i1> %m, <4 x double> %v) {
  %a = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p, i32 8, <4 x i1> %m, <4 x double> %v)
  call void @llvm.masked.store.v4f64.p0(<4 x double> %a, ptr %p, i32 8, <4 x i1> %m)
  ret void
}

; A round of a cipher: no rule for it.
; CHECK-LABEL: counts of target
; CHECK: call llvm.x86.aesni.aesenc(
define <2 x i64> @target(<2 x i64> %v) {
  %a = call <2 x i64> @llvm.x86.aesni.aesenc(<2 x i64> %v, <2 x i64> %v)
  ret <2 x i64> %a
}

; Code that calls a function with one more argument, as x86-64 writes it to the stack: 23 bytes in 6 stores.
; CHECK-LABEL: counts of trampoline
; CHECK: runs 1{{.*}}: stores_stack=6 store_bytes_stack=23
; CHECK-NOT: trampoline
; CHECK-LABEL: counts of internal
define ptr @trampoline(ptr %frame) {
  %code = alloca [32 x i8], align 16
  call void @llvm.init.trampoline(ptr %code, ptr @internal, ptr %frame)
  %callee = call ptr @llvm.adjust.trampoline(ptr %code)
  ret ptr %callee
}
define void @internal(ptr nest %frame) {
  ret void
}
