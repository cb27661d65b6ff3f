; Control flow that no formula describes gets names, and the analysis stays bounded.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; A jump into the middle of a loop: no loop structure, so the runs of each block but the first are symbols.
; CHECK-LABEL: counts of irreducible
; CHECK: total flops_f64 = runs@irreducible + runs@irreducible#2{{$}}
; CHECK: unknown runs@irreducible: runs of this code in one call: jumps into loops leave no loop structure
define void @irreducible(i1 %c, i1 %e, double %d) {
entry:
  br i1 %c, label %a, label %b
a:
  %x = fadd double %d, %d
  br label %b
b:
  %y = fadd double %d, %d
  br i1 %e, label %a, label %end
end:
  ret void
}
