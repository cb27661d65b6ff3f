; Square roots are one flop and in sqrt_*; fused operations are two flops and in fma_*.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total
target triple = "x86_64-pc-linux-gnu"

; The intrinsic on 1 double and on 4 floats; the library's function, which is the same operation.
; CHECK-LABEL: counts of roots
; CHECK: total flops_f32 = 4{{$}}
; CHECK: total flops_f64 = 2{{$}}
; CHECK: total sqrt_f32 = 4{{$}}
; CHECK: total sqrt_f64 = 2{{$}}
define void @roots(double %d, <4 x float> %f) {
  %a = call double @llvm.sqrt.f64(double %d)
  %b = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %f)
  %c = call double @sqrt(double %d)
  ret void
}

; llvm.fma is fused on any target, by the library where the machine cannot: 2 flops a lane, 1 + 2 lanes.
; CHECK-LABEL: counts of fused
; CHECK: total flops_f64 = 6{{$}}
; CHECK: total fma_f64 = 3{{$}}
define void @fused(double %d, <2 x double> %v) {
  %a = call double @llvm.fma.f64(double %d, double %d, double %d)
  %b = call <2 x double> @llvm.fma.v2f64(<2 x double> %v, <2 x double> %v, <2 x double> %v)
  ret void
}

; The library's fma is the same operation.
; CHECK-LABEL: counts of fused_by_library
; CHECK: total flops_f64 = 2{{$}}
; CHECK: total fma_f64 = 1{{$}}
define double @fused_by_library(double %d) {
  %a = call double @fma(double %d, double %d, double %d)
  ret double %a
}

; fmuladd may be fused: without the feature it is a multiplication and an addition.
; CHECK-LABEL: counts of muladd_without
; CHECK: total flops_f32 = 2{{$}}
; CHECK: total flops_f64 = 8{{$}}
define void @muladd_without(float %f, <4 x double> %v) {
  %a = call float @llvm.fmuladd.f32(float %f, float %f, float %f)
  %b = call <4 x double> @llvm.fmuladd.v4f64(<4 x double> %v, <4 x double> %v, <4 x double> %v)
  ret void
}

; With it, it is one fused operation: the same flops.
; CHECK-LABEL: counts of muladd_with
; CHECK: total flops_f32 = 2{{$}}
; CHECK: total flops_f64 = 8{{$}}
; CHECK: total fma_f32 = 1{{$}}
; CHECK: total fma_f64 = 4{{$}}
define void @muladd_with(float %f, <4 x double> %v) "target-features"="+avx,+fma,+sse2" {
  %a = call float @llvm.fmuladd.f32(float %f, float %f, float %f)
  %b = call <4 x double> @llvm.fmuladd.v4f64(<4 x double> %v, <4 x double> %v, <4 x double> %v)
  ret void
}

; The feature as the last in the list.
; CHECK-LABEL: counts of muladd_last
; CHECK: total flops_f64 = 2{{$}}
; CHECK: total fma_f64 = 1{{$}}
define void @muladd_last(double %d) "target-features"="+avx,+fma" {
  %a = call double @llvm.fmuladd.f64(double %d, double %d, double %d)
  ret void
}

; Switched off.
; CHECK-LABEL: counts of muladd_off
; CHECK: total flops_f64 = 2{{$}}
define void @muladd_off(double %d) "target-features"="+avx,-fma,+sse2" {
  %a = call double @llvm.fmuladd.f64(double %d, double %d, double %d)
  ret void
}

declare double @sqrt(double)
declare double @fma(double, double, double)
