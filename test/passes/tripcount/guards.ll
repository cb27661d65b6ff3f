; Conditions inside loops. The guarded block has one flop.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; for (i < n) if (i >= m): n - m times for 0 ≤ m ≤ n.
; A negative m is 0: n·[n > m] - max(0, m)·[n > m] where n is positive.
; CHECK-LABEL: counts of affine
; CHECK: total flops_f64 = n·[n > m]·[n ≥ 1] - max(0, m)·[n > m]·[n ≥ 1]{{$}}
define void @affine(i64 %n, i64 %m, double %d) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %body, label %end
body:
  %g = icmp sge i64 %i, %m
  br i1 %g, label %then, label %latch
then:
  %x = fadd double %d, %d
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  br label %head
end:
  ret void
}

; for (i < n) for (j < n) if (i < j): n(n-1)/2.
; CHECK-LABEL: counts of lower
; CHECK: total flops_f64 = (n²·[n ≥ 2] - n·[n ≥ 2])/2{{$}}
define void @lower(i64 %n, double %d) {
entry:
  br label %hi
hi:
  %i = phi i64 [ 0, %entry ], [ %i.next, %li ]
  %ci = icmp slt i64 %i, %n
  br i1 %ci, label %hj, label %end
hj:
  %j = phi i64 [ 0, %hi ], [ %j.next, %lj ]
  %cj = icmp slt i64 %j, %n
  br i1 %cj, label %body, label %li
body:
  %g = icmp slt i64 %i, %j
  br i1 %g, label %then, label %lj
then:
  %x = fadd double %d, %d
  br label %lj
lj:
  %j.next = add nuw nsw i64 %j, 1
  br label %hj
li:
  %i.next = add nuw nsw i64 %i, 1
  br label %hi
end:
  ret void
}

; for (i < n) for (j < n) if (i == j): the diagonal, n.
; CHECK-LABEL: counts of diagonal
; CHECK: total flops_f64 = n·[n ≥ 1]{{$}}
define void @diagonal(i64 %n, double %d) {
entry:
  br label %hi
hi:
  %i = phi i64 [ 0, %entry ], [ %i.next, %li ]
  %ci = icmp slt i64 %i, %n
  br i1 %ci, label %hj, label %end
hj:
  %j = phi i64 [ 0, %hi ], [ %j.next, %lj ]
  %cj = icmp slt i64 %j, %n
  br i1 %cj, label %body, label %li
body:
  %g = icmp eq i64 %i, %j
  br i1 %g, label %then, label %lj
then:
  %x = fadd double %d, %d
  br label %lj
lj:
  %j.next = add nuw nsw i64 %j, 1
  br label %hj
li:
  %i.next = add nuw nsw i64 %i, 1
  br label %hi
end:
  ret void
}

; for (i = 0; i < n; i++) if (i & 1) continue: the even ones, n/2 rounded up.
; (i & 1 is a recurrence of type i1 to SCEV.) The loop has no guard, so its last iteration is max(0, n): for n ≥ 1 the
; minimum is its first operand.
; CHECK-LABEL: counts of even
; CHECK: total flops_f64 = min(⌊(n + 1)/2⌋, ⌊max(0, n)/2⌋ + 1)·[n ≥ 1]{{$}}
define void @even(i64 %n, double %d) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %body, label %end
body:
  %low = and i64 %i, 1
  %g = icmp eq i64 %low, 0
  br i1 %g, label %then, label %latch
then:
  %x = fadd double %d, %d
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  br label %head
end:
  ret void
}

; for (i < 10) if (a[i] > 0): a share of the 10 iterations.
; CHECK-LABEL: counts of data
; CHECK: total flops_f64 = 10·taken@data{{$}}
; CHECK: total loads_memory = 10{{$}}
; CHECK: unknown taken@data: share of its runs in which the branch goes on to {{.*}}the condition depends on data
define void @data(ptr %p, double %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %a = getelementptr double, ptr %p, i64 %i
  %v = load double, ptr %a
  %g = fcmp ogt double %v, 0.0
  br i1 %g, label %then, label %latch
then:
  %x = fadd double %d, %d
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp ne i64 %i.next, 10
  br i1 %c, label %loop, label %end
end:
  ret void
}

; Both ways of a data-dependent branch have the same flop: what was not known does not matter.
; CHECK-LABEL: counts of both
; CHECK: total flops_f64 = 1{{$}}
define void @both(double %d) {
entry:
  %c = fcmp olt double %d, 0.0
  br i1 %c, label %then, label %else
then:
  %x = fadd double %d, %d
  br label %end
else:
  %y = fsub double %d, %d
  br label %end
end:
  ret void
}

; A parameter of one bit is no data.
; CHECK-LABEL: counts of flag
; CHECK: total flops_f64 = [c ≥ 1]{{$}}
define void @flag(i1 %c, double %d) {
entry:
  br i1 %c, label %then, label %end
then:
  %x = fadd double %d, %d
  br label %end
end:
  ret void
}

; if (n > 0 && m > 0), if (n > 0 || m > 0) as selects, which the optimizer writes.
; CHECK-LABEL: counts of logic
; CHECK: total flops_f32 = [m ≥ 1]·[n ≥ 1]{{$}}
; CHECK: total flops_f64 = 1 - [m ≤ 0]·[n ≤ 0]{{$}}
define void @logic(i64 %n, i64 %m, float %f, double %d) {
entry:
  %a = icmp sgt i64 %n, 0
  %b = icmp sgt i64 %m, 0
  %and = select i1 %a, i1 %b, i1 false
  %or = select i1 %a, i1 true, i1 %b
  br i1 %and, label %then, label %next
then:
  %x = fadd float %f, %f
  br label %next
next:
  br i1 %or, label %then2, label %end
then2:
  %y = fadd double %d, %d
  br label %end
end:
  ret void
}

; Unsigned i < n of signed numbers: in their order where both have the same sign; a negative number is above all others.
; i = -2: n = -1 holds, n = 5 and n = -2 do not; i = 3: n = 4 and n = -1 hold, n = 3 does not.
; CHECK-LABEL: counts of unsigned
; CHECK: total flops_f64 = [n > i]·[n ≤ -1] + [n > i]·[i ≥ 0] + [n ≤ -1]·[i ≥ 0]{{$}}
define void @unsigned(i64 %i, i64 %n, double %d) {
entry:
  %c = icmp ult i64 %i, %n
  br i1 %c, label %then, label %end
then:
  %x = fadd double %d, %d
  br label %end
end:
  ret void
}

; if (i < n) { if (a > b) { if (b > c) { 1 flop } if (c > d) { 1 flop } 1 flop } 1 flop }: unknown shares t, u and v of runs
; that go into the code under each condition. Where its ways meet, code runs as often as where they parted.
; CHECK-LABEL: counts of meets_under_a_guard
; CHECK: total flops_f64 = taken@meets_under_a_guard·taken@meets_under_a_guard#2·[n > i] + taken@meets_under_a_guard·taken@meets_under_a_guard#3·[n > i] + taken@meets_under_a_guard·[n > i] + [n > i]{{$}}
; CHECK-NOT: runs@
define void @meets_under_a_guard(i64 %i, i64 %n, ptr %p) {
entry:
  %from = getelementptr double, ptr %p, i64 %i
  %toB = getelementptr double, ptr %from, i64 1
  %toC = getelementptr double, ptr %from, i64 2
  %toD = getelementptr double, ptr %from, i64 3
  %a = load double, ptr %from
  %b = load double, ptr %toB
  %c = load double, ptr %toC
  %d = load double, ptr %toD
  %g = icmp slt i64 %i, %n
  br i1 %g, label %guarded, label %end
guarded:
  %t = fcmp ule double %a, %b
  br i1 %t, label %meet, label %outer
outer:
  %u = fcmp ogt double %b, %c
  br i1 %u, label %first, label %between
first:
  %x = fadd double %a, %b
  br label %between
between:
  %v = fcmp ogt double %c, %d
  br i1 %v, label %second, label %both
second:
  %y = fadd double %c, %d
  br label %both
both:
  %z = fadd double %a, %d
  br label %meet
meet:
  %w = fadd double %b, %d
  br label %end
end:
  ret void
}

; if (i >= (a < 0 ? 0 : a) && i <= (a + 7 < n ? a + 7 : n - 1)): a range of 8 that is clipped at both borders, so
; i is at least 0 and a, and at most n - 1 and a + 7.
; CHECK-LABEL: counts of clipped
; CHECK: total flops_f64 = [n > i]·[a ≥ i - 7]·[i ≥ a]·[i ≥ 0]{{$}}
define void @clipped(i64 %i, i64 %a, i64 %n, double %d) {
entry:
  %past = add nsw i64 %a, 7
  %below = icmp slt i64 %a, 0
  %first = select i1 %below, i64 0, i64 %a
  %inside = icmp slt i64 %past, %n
  %n1 = add nsw i64 %n, -1
  %last = select i1 %inside, i64 %past, i64 %n1
  %c1 = icmp sge i64 %i, %first
  %c2 = icmp sle i64 %i, %last
  %c = and i1 %c1, %c2
  br i1 %c, label %body, label %end
body:
  %x = fadd double %d, %d
  br label %end
end:
  ret void
}
