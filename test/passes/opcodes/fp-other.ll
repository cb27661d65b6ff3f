; fp_other: compare, negate, absolute value, minimum, maximum, copy sign, convert, round. No flops.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total
target triple = "x86_64-pc-linux-gnu"

; One each.
; CHECK-LABEL: counts of compare_negate
; CHECK: total fp_other_f32 = 1{{$}}
; CHECK: total fp_other_f64 = 2{{$}}
define void @compare_negate(double %d, float %f) {
  %a = fcmp olt double %d, 0.0
  %b = fneg double %d
  %c = fcmp uno float %f, %f
  ret void
}

; A compare of vectors: 4 lanes, of the type that is compared.
; CHECK-LABEL: counts of compare_lanes
; CHECK: total fp_other_f32 = 4{{$}}
define void @compare_lanes(<4 x float> %v) {
  %a = fcmp olt <4 x float> %v, zeroinitializer
  ret void
}

; A conversion is in the wider of two floating-point types, else in the one that is floating-point:
; f64: float to double, double to float, int to double, double to int; f32: half to float, unsigned to float;
; f80: double to x87.
; CHECK-LABEL: counts of convert
; CHECK: total fp_other_f32 = 2{{$}}
; CHECK: total fp_other_f64 = 4{{$}}
; CHECK: total fp_other_f80 = 1{{$}}
define void @convert(float %f, double %d, half %h, i32 %i) {
  %a = fpext float %f to double
  %b = fptrunc double %d to float
  %c = sitofp i32 %i to double
  %e = fptosi double %d to i32
  %g = fpext half %h to float
  %j = uitofp i32 %i to float
  %k = fpext double %d to x86_fp80
  ret void
}

; Ten intrinsics.
; CHECK-LABEL: counts of intrinsics
; CHECK: total fp_other_f64 = 10{{$}}
define void @intrinsics(double %d) {
  %a = call double @llvm.fabs.f64(double %d)
  %b = call double @llvm.copysign.f64(double %d, double 1.0)
  %c = call double @llvm.minnum.f64(double %d, double 1.0)
  %e = call double @llvm.maxnum.f64(double %d, double 1.0)
  %f = call double @llvm.minimum.f64(double %d, double 1.0)
  %g = call double @llvm.maximum.f64(double %d, double 1.0)
  %h = call double @llvm.floor.f64(double %d)
  %i = call double @llvm.ceil.f64(double %d)
  %j = call double @llvm.trunc.f64(double %d)
  %k = call double @llvm.rint.f64(double %d)
  ret void
}

; The result of lround and of is_fpclass is an integer; the operation is on the double.
; CHECK-LABEL: counts of to_integer
; CHECK: total fp_other_f64 = 2{{$}}
define void @to_integer(double %d) {
  %a = call i64 @llvm.lround.i64.f64(double %d)
  %b = call i1 @llvm.is.fpclass.f64(double %d, i32 3)
  ret void
}

; The same as functions of the library: 3 of double, 1 of float. They are no calls.
; CHECK-LABEL: counts of library
; CHECK: total fp_other_f32 = 1{{$}}
; CHECK: total fp_other_f64 = 3{{$}}
define void @library(double %d, float %f) {
  %a = call double @fabs(double %d)
  %b = call double @floor(double %d)
  %c = call double @fmax(double %d, double %d)
  %e = call float @fminf(float %f, float %f)
  ret void
}
declare double @fabs(double)
declare double @floor(double)
declare double @fmax(double, double)
declare float @fminf(float, float)
