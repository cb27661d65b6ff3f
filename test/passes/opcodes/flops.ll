; Floating-point arithmetic: add, sub, mul, div and rem are one flop each, in the class of their type.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total
target triple = "x86_64-pc-linux-gnu"

; Five instructions are five flops; the division is in div_f64 too.
; CHECK-LABEL: counts of arithmetic
; CHECK: total flops_f64 = 5{{$}}
; CHECK: total div_f64 = 1{{$}}
define void @arithmetic(double %a, double %b) {
  %add = fadd double %a, %b
  %sub = fsub double %a, %b
  %mul = fmul double %a, %b
  %div = fdiv double %a, %b
  %rem = frem double %a, %b
  ret void
}

; Type by type, with another number of operations each: 1 half, 2 bfloat, 3 float, 4 double, 5 x87, 6 quad.
; CHECK-LABEL: counts of types
; CHECK: total flops_f16 = 1{{$}}
; CHECK: total flops_bf16 = 2{{$}}
; CHECK: total flops_f32 = 3{{$}}
; CHECK: total flops_f64 = 4{{$}}
; CHECK: total flops_f80 = 5{{$}}
; CHECK: total flops_f128 = 6{{$}}
define void @types(half %h, bfloat %b, float %f, double %d, x86_fp80 %x, fp128 %q) {
  %h1 = fadd half %h, %h
  %b1 = fadd bfloat %b, %b
  %b2 = fmul bfloat %b1, %b
  %f1 = fadd float %f, %f
  %f2 = fmul float %f1, %f
  %f3 = fsub float %f2, %f
  %d1 = fadd double %d, %d
  %d2 = fmul double %d1, %d
  %d3 = fsub double %d2, %d
  %d4 = fadd double %d3, %d
  %x1 = fadd x86_fp80 %x, %x
  %x2 = fmul x86_fp80 %x1, %x
  %x3 = fsub x86_fp80 %x2, %x
  %x4 = fadd x86_fp80 %x3, %x
  %x5 = fadd x86_fp80 %x4, %x
  %q1 = fadd fp128 %q, %q
  %q2 = fmul fp128 %q1, %q
  %q3 = fsub fp128 %q2, %q
  %q4 = fadd fp128 %q3, %q
  %q5 = fadd fp128 %q4, %q
  %q6 = fadd fp128 %q5, %q
  ret void
}

; The same division in each type.
; CHECK-LABEL: counts of divisions
; CHECK: total flops_f16 = 1{{$}}
; CHECK: total flops_bf16 = 1{{$}}
; CHECK: total flops_f32 = 1{{$}}
; CHECK: total flops_f80 = 1{{$}}
; CHECK: total flops_f128 = 1{{$}}
; CHECK: total div_f16 = 1{{$}}
; CHECK: total div_bf16 = 1{{$}}
; CHECK: total div_f32 = 1{{$}}
; CHECK: total div_f80 = 1{{$}}
; CHECK: total div_f128 = 1{{$}}
define void @divisions(half %h, bfloat %b, float %f, x86_fp80 %x, fp128 %q) {
  %h1 = fdiv half %h, %h
  %b1 = fdiv bfloat %b, %b
  %f1 = fdiv float %f, %f
  %x1 = fdiv x86_fp80 %x, %x
  %q1 = fdiv fp128 %q, %q
  ret void
}

; A vector operation is as many as it has lanes: 4 additions, 8 divisions.
; CHECK-LABEL: counts of lanes
; CHECK: total flops_f32 = 8{{$}}
; CHECK: total flops_f64 = 4{{$}}
; CHECK: total div_f32 = 8{{$}}
define void @lanes(<4 x double> %d, <8 x float> %f) {
  %add = fadd <4 x double> %d, %d
  %div = fdiv <8 x float> %f, %f
  ret void
}

; A reduction of 4 lanes adds 4 times: its start value to lane 0, that to lane 1, and so on.
; CHECK-LABEL: counts of reduction
; CHECK: total flops_f64 = 4{{$}}
define double @reduction(double %start, <4 x double> %v) {
  %r = call double @llvm.vector.reduce.fadd.v4f64(double %start, <4 x double> %v)
  ret double %r
}

; Moves, phis, returns and casts that do nothing are free.
; CHECK-LABEL: counts of free
define double @free(i64 %bits, <4 x double> %v) {
entry:
  %d = bitcast i64 %bits to double
  %e = extractelement <4 x double> %v, i32 0
  br label %next
next:
  %p = phi double [ %d, %entry ]
  ret double %p
}
; CHECK-LABEL: counts of end
define void @end() {
  ret void
}
