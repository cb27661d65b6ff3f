; special_*: an elementary function is 1 a call, as an intrinsic or as the library's function.
; What one costs in flops is a matter of library-costs, so there are no flops here, and no call.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total
target triple = "x86_64-pc-linux-gnu"

; Nine on one double, and one on 4 lanes of float.
; CHECK-LABEL: counts of intrinsics
; CHECK: total special_f32 = 4{{$}}
; CHECK: total special_f64 = 9{{$}}
define void @intrinsics(double %d, <4 x float> %v, i32 %n) {
  %a = call double @llvm.exp.f64(double %d)
  %b = call double @llvm.exp2.f64(double %d)
  %c = call double @llvm.log.f64(double %d)
  %e = call double @llvm.log10.f64(double %d)
  %f = call double @llvm.sin.f64(double %d)
  %g = call double @llvm.cos.f64(double %d)
  %h = call double @llvm.pow.f64(double %d, double %d)
  %i = call double @llvm.powi.f64.i32(double %d, i32 %n)
  %j = call double @llvm.tanh.f64(double %d)
  %k = call <4 x float> @llvm.exp.v4f32(<4 x float> %v)
  ret void
}

; With an exponent that is a constant, a power is products, as llc makes them: none, 1, 4, and 2 with a quotient.
; CHECK-LABEL: counts of powers
; CHECK: total flops_f64 = 8{{$}}
; CHECK: total div_f64 = 1{{$}}
define double @powers(double %d) {
  %a = call double @llvm.powi.f64.i32(double %d, i32 0)
  %b = call double @llvm.powi.f64.i32(double %d, i32 2)
  %c = call double @llvm.powi.f64.i32(double %d, i32 7)
  %e = call double @llvm.powi.f64.i32(double %d, i32 -3)
  ret double %e
}

; CHECK-LABEL: counts of library
; CHECK: total special_f32 = 2{{$}}
; CHECK: total special_f64 = 4{{$}}
; CHECK: total special_f80 = 1{{$}}
define void @library(double %d, float %f, x86_fp80 %x) {
  %a = call double @exp(double %d)
  %b = call double @pow(double %d, double %d)
  %c = call double @erf(double %d)
  %e = call double @cbrt(double %d)
  %g = call float @sinf(float %f)
  %h = call float @log2f(float %f)
  %i = call x86_fp80 @expl(x86_fp80 %x)
  ret void
}

; fmod is the language's %, which is a flop as `frem` is.
; CHECK-LABEL: counts of remainder
; CHECK: total flops_f64 = 1{{$}}
define double @remainder(double %d) {
  %a = call double @fmod(double %d, double 3.0)
  ret double %a
}

; A function of that name with other parameters is not the library's: a call.
; CHECK-LABEL: counts of not_the_library
; CHECK: call expf(
; CHECK: total calls = 1{{$}}
define void @not_the_library(ptr %p) {
  call void @expf(ptr %p)
  ret void
}

declare double @exp(double)
declare double @pow(double, double)
declare double @erf(double)
declare double @cbrt(double)
declare double @fmod(double, double)
declare float @sinf(float)
declare float @log2f(float)
declare x86_fp80 @expl(x86_fp80)
declare void @expf(ptr)
