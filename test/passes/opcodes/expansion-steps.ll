; Flops that a GPU executes for one operation, at least and at most: the rows of ExpansionSteps.inc (scripts/expansion-steps.py).
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; div.rn.f32 10 to 35, rcp.rn.f32 5 to 9, by a constant 10 to 33; with afn div.approx.f32 1 to 3.
; CHECK-LABEL: counts of single{{$}}
; CHECK: total div_f32 = 4{{$}}
; CHECK: total steps_low_f32 = 26{{$}}
; CHECK: total steps_high_f32 = 80{{$}}
define void @single(float %a, float %b) {
  %q = fdiv float %a, %b
  %r = fdiv float 1.0, %b
  %c = fdiv float %a, 3.0
  %s = fdiv afn float %a, %b
  ret void
}

; 1/sqrt(x) with afn is one rsqrt.approx.f32; its root, 0 to 2, is counted too.
; CHECK-LABEL: counts of inverse_root{{$}}
; CHECK-NOT: steps_low
; CHECK: total steps_high_f32 = 4{{$}}
define void @inverse_root(float %a) {
  %s = call afn float @llvm.sqrt.f32(float %a)
  %r = fdiv afn float 1.0, %s
  ret void
}

; div.rn.ftz.f32 10 to 25, sqrt.rn.ftz.f32 6 to 11, rsqrt.approx.ftz.f32 none.
; CHECK-LABEL: counts of flushed{{$}}
; CHECK: total steps_low_f32 = 16{{$}}
; CHECK: total steps_high_f32 = 36{{$}}
define void @flushed(float %a, float %b) #0 {
  %q = fdiv float %a, %b
  %s = call float @llvm.sqrt.f32(float %a)
  %r = call float @llvm.nvvm.rsqrt.approx.ftz.f(float %a)
  ret void
}

; div.rn.f64: 15 to 39, and one fused operation in f32 that tests the result. sqrt.rn.f64 13 to 27.
; CHECK-LABEL: counts of double{{$}}
; CHECK: total steps_low_f32 = 2{{$}}
; CHECK: total steps_low_f64 = 28{{$}}
; CHECK: total steps_high_f32 = 2{{$}}
; CHECK: total steps_high_f64 = 66{{$}}
define void @double(double %a, double %b) {
  %q = fdiv double %a, %b
  %s = call double @llvm.nvvm.sqrt.rn.d(double %a)
  ret void
}

; A remainder is a division and a fused operation, one flop of which is in flops_: 10 + 1 to 35 + 1.
; CHECK-LABEL: counts of remainder{{$}}
; CHECK: total flops_f32 = 1{{$}}
; CHECK: total steps_low_f32 = 11{{$}}
; CHECK: total steps_high_f32 = 36{{$}}
define void @remainder(float %a, float %b) {
  %q = frem float %a, %b
  ret void
}

; Integers of 16 bits are divided in f32; a number that is stored with the other sign may be a sum with zero.
; CHECK-LABEL: counts of others{{$}}
; CHECK: total steps_low_f32 = 3{{$}}
; CHECK: total steps_high_f32 = 4{{$}}
define void @others(i16 %a, i16 %b, float %f, ptr %p) {
  %q = udiv i16 %a, %b
  %n = fneg float %f
  store float %n, ptr %p
  ret void
}

; In inline PTX: div.full.f32 1 to 5.
; CHECK-LABEL: counts of inline{{$}}
; CHECK: total steps_low_f32 = 1{{$}}
; CHECK: total steps_high_f32 = 5{{$}}
define void @inline(float %a, float %b) {
  %q = call float asm "div.full.f32 $0, $1, $2;", "=f,f,f"(float %a, float %b)
  ret void
}

; On a CPU a division is one instruction: no steps.
attributes #0 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
