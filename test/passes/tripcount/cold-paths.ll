; Counts are of runs that return: what ends in a throw, an abort or a failed assertion is cold and counts nothing,
; and the branch to it is not a matter of chance.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=unknown
target triple = "x86_64-pc-linux-gnu"

; The error path has 3 flops and a call of abort; the other 1 flop.
; CHECK-LABEL: counts of abort_path
; CHECK: total flops_f64 = 1{{$}}
; CHECK: total branches = 1{{$}}
; CHECK-NOT: total calls
define void @abort_path(ptr %p, double %d) {
entry:
  %v = load double, ptr %p
  %bad = fcmp olt double %v, 0.0
  br i1 %bad, label %fail, label %good
fail:
  %1 = fadd double %d, %d
  %2 = fadd double %d, %d
  %3 = fadd double %d, %d
  call void @abort()
  unreachable
good:
  %4 = fadd double %d, %d
  ret void
}

; Two steps before the end: a cold block leads to another one.
; CHECK-LABEL: counts of throw_path
; CHECK: total flops_f64 = 1{{$}}
define void @throw_path(ptr %p, double %d) {
entry:
  %v = load double, ptr %p
  %bad = fcmp olt double %v, 0.0
  br i1 %bad, label %prepare, label %good
prepare:
  %1 = fadd double %d, %d
  br label %throw
throw:
  call void @throw()
  unreachable
good:
  %2 = fadd double %d, %d
  ret void
}

; Exits of a loop that only fail do not make its trip count unknown: n iterations, with a checked access.
; CHECK-LABEL: counts of checked_loop
; CHECK: total flops_f64 = n·[n ≥ 1]{{$}}
define void @checked_loop(i64 %n, ptr %p, double %d) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %body ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %check, label %end
check:
  %a = getelementptr double, ptr %p, i64 %i
  %v = load double, ptr %a
  %bad = fcmp uno double %v, 0.0
  br i1 %bad, label %fail, label %body
body:
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  br label %head
fail:
  call void @throw()
  unreachable
end:
  ret void
}

; A function that never returns is counted to its end: 1 flop and the call.
; CHECK-LABEL: counts of never_returns
; CHECK: total flops_f64 = 1{{$}}
; CHECK: total calls = 1{{$}}
define void @never_returns(double %d) {
  %x = fadd double %d, %d
  call void @throw()
  unreachable
}

declare void @abort()
declare void @throw()
