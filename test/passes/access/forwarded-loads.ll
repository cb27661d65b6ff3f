; A loop that reads what its previous iteration stored keeps it in a register: one load for each time it is entered.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
; What LLVM makes of it.
; RUN: %opt -passes=loop-load-elim -S %s | FileCheck %s --check-prefix=CODE
target triple = "x86_64-pc-linux-gnu"

; for (i = 1; i < 100; ++i) x[i] = x[i-1] + y[i];
; CHECK-LABEL: counts of sums
; CHECK: total loads_memory = 100{{$}}
; CODE-LABEL: define void @sums(
; CODE: load double, ptr %x
; CODE: loop:
; CODE-NEXT: phi double
; CODE: load double, ptr %at.y
; CODE-NOT: load
; CODE: ret void
define void @sums(ptr noalias %x, ptr noalias %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %before = add nsw i64 %i, -1
  %at.before = getelementptr inbounds double, ptr %x, i64 %before
  %a = load double, ptr %at.before
  %at.y = getelementptr inbounds double, ptr %y, i64 %i
  %b = load double, ptr %at.y
  %sum = fadd double %a, %b
  %at.x = getelementptr inbounds double, ptr %x, i64 %i
  store double %sum, ptr %at.x
  %next = add nuw nsw i64 %i, 1
  %more = icmp ne i64 %next, 100
  br i1 %more, label %loop, label %end
end:
  ret void
}

; x[i] = x[i-2] + y[i]: two iterations apart, it is loaded each time.
; CHECK-LABEL: counts of second_sums
; CHECK: total loads_memory = 196{{$}}
define void @second_sums(ptr noalias %x, ptr noalias %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 2, %entry ], [ %next, %loop ]
  %before = add nsw i64 %i, -2
  %at.before = getelementptr inbounds double, ptr %x, i64 %before
  %a = load double, ptr %at.before
  %at.y = getelementptr inbounds double, ptr %y, i64 %i
  %b = load double, ptr %at.y
  %sum = fadd double %a, %b
  %at.x = getelementptr inbounds double, ptr %x, i64 %i
  store double %sum, ptr %at.x
  %next = add nuw nsw i64 %i, 1
  %more = icmp ne i64 %next, 100
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A store that is done in some iterations only: the next one loads.
; CHECK-LABEL: counts of some_sums
; CHECK: total loads_memory = 198{{$}}
define void @some_sums(ptr noalias %x, ptr noalias %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %latch ]
  %before = add nsw i64 %i, -1
  %at.before = getelementptr inbounds double, ptr %x, i64 %before
  %a = load double, ptr %at.before
  %at.y = getelementptr inbounds double, ptr %y, i64 %i
  %b = load double, ptr %at.y
  %sum = fadd double %a, %b
  %is.large = fcmp ogt double %sum, 1.0
  br i1 %is.large, label %write, label %latch
write:
  %at.x = getelementptr inbounds double, ptr %x, i64 %i
  store double %sum, ptr %at.x
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ne i64 %next, 100
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The arrays may overlap: the loop is there twice, and a check chooses.
; CHECK-LABEL: counts of checked_sums
; CHECK: total loads_memory = 100{{$}}
; CHECK: assumed: arrays do not overlap
define void @checked_sums(ptr %x, ptr %y, ptr %z) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %before = add nsw i64 %i, -1
  %at.before = getelementptr inbounds double, ptr %x, i64 %before
  %a = load double, ptr %at.before
  %at.y = getelementptr inbounds double, ptr %y, i64 %i
  %b = load double, ptr %at.y
  %sum = fadd double %a, %b
  %at.x = getelementptr inbounds double, ptr %x, i64 %i
  store double %sum, ptr %at.x
  %at.z = getelementptr inbounds double, ptr %z, i64 %i
  store double %b, ptr %at.z
  %next = add nuw nsw i64 %i, 1
  %more = icmp ne i64 %next, 100
  br i1 %more, label %loop, label %end
end:
  ret void
}
