; Variables that a loop carries in ways that scalar evolution does not follow. Each innermost body has one flop.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target datalayout = "e-p:64:64-i64:64"
target triple = "x86_64-pc-linux-gnu"

declare i64 @llvm.smin.i64(i64, i64)
declare noalias nonnull ptr @_Znwm(i64) allockind("alloc,uninitialized") allocsize(0)
declare void @_ZdlPv(ptr)

; As Eigen's columns, of which those after an odd distance begin one element later: in row i, x is (i·odd) mod 2, and
; the loop runs from x to n. With 4 rows and odd = 1: n + (n - 1) + n + (n - 1).
; CHECK-LABEL: counts of around
; CHECK-NOT: unknown
define void @around(double %d) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  %x = phi i64 [ 0, %entry ], [ %x.next, %rows.end ]
  br label %columns
columns:
  %j = phi i64 [ %x, %rows ], [ %j.next, %columns ]
  %a = fadd double %d, %d
  %j.next = add nsw i64 %j, 1
  %more = icmp slt i64 %j.next, 10
  br i1 %more, label %columns, label %rows.end
rows.end:
  %moved = add nsw i64 %x, 1
  %rest = srem i64 %moved, 2
  %x.next = call i64 @llvm.smin.i64(i64 10, i64 %rest)
  %i.next = add i64 %i, 1
  %go = icmp ult i64 %i.next, 4
  br i1 %go, label %rows, label %end
end:
  ret void
}
; CHECK: total flops_f64 = 38{{$}}

; A packed triangle: the first place of column j is k, which grows by j + 1. The optimizer computes the next k on both
; ways through the body. From k to k + j: 1 + 2 + … + n.
; CHECK-LABEL: counts of packed
; CHECK: total flops_f64 = (-n²·taken@packed·[n ≥ 1] + n²·[n ≥ 1] - n·taken@packed·[n ≥ 1] + n·[n ≥ 1])/2{{$}}
define void @packed(ptr %x, i32 %n, double %d) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %columns, label %end
columns:
  %j = phi i32 [ 0, %entry ], [ %j.next, %columns.end ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %columns.end ]
  %at = getelementptr double, ptr %x, i32 %j
  %data = load double, ptr %at
  %zero = fcmp oeq double %data, 0.0
  br i1 %zero, label %skipped, label %used
skipped:
  %growth = add i32 %j, 1
  %after = add i32 %k, %growth
  br label %columns.end
used:
  %growth.again = add i32 %j, 1
  %after.again = add i32 %k, %growth.again
  %last = sext i32 %after.again to i64
  %first = sext i32 %k to i64
  %places = sub nsw i64 %last, %first
  br label %body
body:
  %left = phi i64 [ %places, %used ], [ %left.next, %body ]
  %a = fadd double %d, %d
  %left.next = add nsw i64 %left, -1
  %more = icmp sgt i64 %left, 1
  br i1 %more, label %body, label %columns.end
columns.end:
  %k.next = phi i32 [ %after, %skipped ], [ %after.again, %body ]
  %j.next = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %j.next, %n
  br i1 %done, label %end, label %columns
end:
  ret void
}

; Two buffers that each step exchanges: neither is null, whatever the number of steps.
; CHECK-LABEL: counts of exchanged
; CHECK-NOT: unknown taken@
; CHECK: total calls = 3{{$}}
define void @exchanged(i64 %n, i64 %steps) {
entry:
  %first = call ptr @_Znwm(i64 %n)
  %second = call ptr @_Znwm(i64 %n)
  br label %loop
loop:
  %from = phi ptr [ %first, %entry ], [ %to, %loop ]
  %to = phi ptr [ %second, %entry ], [ %from, %loop ]
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 10
  br i1 %done, label %exit, label %loop
exit:
  %last = phi ptr [ %from, %loop ]
  %none = icmp eq ptr %last, null
  br i1 %none, label %end, label %free
free:
  call void @_ZdlPv(ptr %last)
  br label %end
end:
  ret void
}

; A pointer that is chosen anew in each iteration is none of those.
; CHECK-LABEL: counts of chosen
; CHECK: unknown taken@chosen
define void @chosen(ptr %p, ptr %q, i64 %n, double %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr i64, ptr %p, i64 %i
  %v = load i64, ptr %at
  %odd = icmp slt i64 %v, 0
  br i1 %odd, label %other, label %choose
other:
  %place = getelementptr ptr, ptr %q, i64 %i
  %found = load ptr, ptr %place
  br label %choose
choose:
  %chosen = phi ptr [ %p, %loop ], [ %found, %other ]
  %none = icmp eq ptr %chosen, null
  br i1 %none, label %join, label %use
use:
  %a = fadd double %d, %d
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 10
  br i1 %done, label %end, label %loop
end:
  ret void
}
