; Ways of math functions that only infinities and their like take: the counts are of ordinary
; arguments, and say so. By hand: where nothing is said, 2 flops and no branch is a question.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare float @llvm.nvvm.fabs.f32(float)
declare i32 @llvm.nvvm.d2i.hi(double)

; CHECK-LABEL: counts of __nv_detour
; CHECK: total flops_f32 = 2{{$}}
; CHECK-NOT: unknown
; CHECK: assumed: the arguments of math functions are ordinary
define float @__nv_detour(float %x) {
  %magnitude = call float @llvm.nvvm.fabs.f32(float %x)
  %small = fcmp ult float %magnitude, 1.056150e+05
  br i1 %small, label %join, label %huge
huge:
  %odd = fcmp oeq float %magnitude, 0x7FF0000000000000
  br i1 %odd, label %infinite, label %reduced
infinite:
  %none = fmul float %x, 0.0
  br label %join
reduced:
  %a = fmul float %x, 3.0
  %b = fadd float %a, 3.0
  br label %join
join:
  %y = phi float [ %x, %0 ], [ %none, %infinite ], [ %b, %reduced ]
  %c = fmul float %y, %y
  %d = fadd float %c, 1.0
  ret float %d
}

; Zero or infinity, in one test.
; CHECK-LABEL: counts of __nv_several
; CHECK: total flops_f32 = 2{{$}}
; CHECK-NOT: unknown
define float @__nv_several(float %x) {
  %zero = fcmp oeq float %x, 0.0
  %none = fcmp uno float %x, 0.0
  %either = select i1 %zero, i1 true, i1 %none
  br i1 %either, label %special, label %plain
special:
  ret float 1.0
plain:
  %a = fmul float %x, %x
  %b = fadd float %a, 1.0
  ret float %b
}

; The upper half of a double: exponents below that of infinity.
; CHECK-LABEL: counts of __internal_bits
; CHECK: total flops_f64 = 2{{$}}
; CHECK-NOT: unknown
define double @__internal_bits(double %x) {
  %high = call i32 @llvm.nvvm.d2i.hi(double %x)
  %minus = add i32 %high, -1
  %finite = icmp ult i32 %minus, 2146435071
  br i1 %finite, label %plain, label %special
plain:
  %a = fmul double %x, %x
  %b = fadd double %a, 1.0
  ret double %b
special:
  %c = fadd double %x, 1.0
  %d = fadd double %c, %x
  %e = fadd double %d, %x
  ret double %e
}

; Two pieces of a function, and a program's own branch: nobody knows which way they go.
; CHECK-LABEL: counts of __nv_pieces
; CHECK: unknown taken@__nv_pieces
define float @__nv_pieces(ptr %p, i64 %i) {
  %at = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %at
  %low = fcmp olt float %x, 0.5
  br i1 %low, label %first, label %second
first:
  %a = fmul float %x, %x
  ret float %a
second:
  %b = fadd float %x, 1.0
  %c = fmul float %b, %b
  ret float %c
}
; CHECK-LABEL: counts of own
; CHECK: unknown taken@own
define float @own(ptr %p, i64 %i) {
  %at = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %at
  %zero = fcmp oeq float %x, 0.0
  br i1 %zero, label %special, label %plain
special:
  ret float 1.0
plain:
  %a = fmul float %x, %x
  ret float %a
}

; Nor are they huge, so a sum of huge ones stays 0, as in a norm that does not overflow.
; CHECK-LABEL: counts of norm
; CHECK: unknown taken@norm: {{.*}} or of extreme size
; CHECK: unknown taken@norm#2: {{.*}} or of extreme size
define float @norm(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %huge = phi float [ 0.0, %entry ], [ %huge.next, %join ]
  %at = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %at
  %size = call float @llvm.nvvm.fabs.f32(float %x)
  %above = fcmp ogt float %x, 0x4700000000000000
  br i1 %above, label %scale, label %join
scale:
  %s = fmul float %x, 0x3800000000000000
  %more = fadd float %huge, %s
  br label %join
join:
  %huge.next = phi float [ %more, %scale ], [ %huge, %loop ]
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 10
  br i1 %done, label %exit, label %loop
exit:
  %last = phi float [ %huge.next, %join ]
  %any = fcmp ogt float %last, 0.0
  br i1 %any, label %rescale, label %end
rescale:
  %y = fmul float %last, 2.0
  ret float %y
end:
  ret float 0.0
}
