; branches, calls: once each. What is decided by no condition is no branch.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total
target triple = "x86_64-pc-linux-gnu"

; One conditional branch; jumps are free. Both ways join, so the addition behind them runs once.
; CHECK-LABEL: counts of branch
; CHECK: total flops_f64 = 1{{$}}
; CHECK: total branches = 1{{$}}
define void @branch(i1 %c, double %d) {
entry:
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %x = fadd double %d, %d
  ret void
}

; A switch is one branch. Values 1 and 2 go to %few (2 flops), 7 to %seven (3), the rest to %rest (5).
; CHECK-LABEL: counts of switch
; CHECK: total flops_f64 = 5 - 2·[n ≥ 7]·[n ≤ 7] - 3·[n ≥ 2]·[n ≤ 2] - 3·[n ≥ 1]·[n ≤ 1]{{$}}
; CHECK: total branches = 1{{$}}
define void @switch(i32 %n, double %d) {
entry:
  switch i32 %n, label %rest [
    i32 1, label %few
    i32 2, label %few
    i32 7, label %seven
  ]
few:
  %f1 = fadd double %d, %d
  %f2 = fadd double %d, %d
  ret void
seven:
  %s1 = fadd double %d, %d
  %s2 = fadd double %d, %d
  %s3 = fadd double %d, %d
  ret void
rest:
  %r1 = fadd double %d, %d
  %r2 = fadd double %d, %d
  %r3 = fadd double %d, %d
  %r4 = fadd double %d, %d
  %r5 = fadd double %d, %d
  ret void
}

; Direct, through a pointer and with unwinding: 3 calls, each listed by name with what its arguments are.
; CHECK-LABEL: counts of calls
; CHECK: call first(1+n)
; CHECK: call ?()
; CHECK: call second(`~d`)
; CHECK: total int_ops = 1{{$}}
; CHECK: total calls = 3{{$}}
define void @calls(i64 %n, ptr %f, double %d) personality ptr @personality {
  %m = add i64 %n, 1
  call void @first(i64 %m)
  call void %f()
  invoke void @second(double %d) to label %end unwind label %handler
handler:
  %l = landingpad { ptr, i32 } cleanup
  call void @first(i64 0)
  resume { ptr, i32 } %l
end:
  ret void
}

; Inline assembly is no call, but code that nobody counts: it is listed. An empty one is a compiler's fence, one of comments nothing, and one that works in general
; registers alone does integer operations.
; CHECK-LABEL: counts of assembly
; CHECK-NOT: call
; CHECK-COUNT-3: call inline assembly(
; CHECK-NOT: call
; CHECK: total int_ops = 3{{$}}
; CHECK-LABEL: counts of end
define void @assembly() {
  call void asm sideeffect "", "~{memory}"()
  call void asm sideeffect "#begin of a block", "~{dirflag},~{fpsr},~{flags}"()
  %c = call { i32, i32, i32, i32 } asm "xchg$(q$)\09$(%$)rbx, ${1:q}; cpuid\0A xchgq %rbx, ${1:q}", "={ax},=r,={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}"(i32 4, i32 0)
  call void asm sideeffect "lock; incl (%rax)", "~{memory}"()
  %x = call double asm "sqrtsd $1, $0", "=x,x"(double 2.0)
  %b = call i64 asm "movq ($1), $0", "=r,r"(ptr null)
  ret void
}
define void @end() {
  ret void
}
declare void @first(i64)
declare void @second(double)
declare i32 @personality(...)
