; The printer of trip counts alone: entries, last iterations, and runs of blocks in one iteration.
; RUN: %opt -passes='print<ergon-trip-counts>' -disable-output %s | FileCheck %s
target datalayout = "e-p:64:64-i64:64"
target triple = "x86_64-pc-linux-gnu"

; for (i = 0; i < n; i++) for (j = 0; j < 8; j++): by hand n iterations of 8.
; CHECK-LABEL: trip counts of nest
; CHECK-NEXT:    block %entry: runs 1
; CHECK:       loop [[I:[a-z0-9]+]]: entries {{.*}}, last {{.*}}n
; CHECK:         loop [[J:[a-z0-9]+]]: entries {{.*}}, last 7
; CHECK-NEXT:      block %inner: runs 1
; CHECK-NOT:   unknown
define void @nest(i64 %n, ptr %p) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %outer, label %exit
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j1, %inner ]
  %q = getelementptr double, ptr %p, i64 %j
  store double 0.0, ptr %q
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j1, 8
  br i1 %more, label %inner, label %latch
latch:
  %i1 = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %i1, %n
  br i1 %again, label %outer, label %exit
exit:
  ret void
}

; A loop that data ends has an unknown, and says why.
; CHECK-LABEL: trip counts of search
; CHECK:       loop {{.*}}, last {{.*}}trips@search
; CHECK:       unknown trips@search: {{.+}}
define i64 @search(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %q = getelementptr i64, ptr %p, i64 %i
  %x = load i64, ptr %q
  %i1 = add nuw nsw i64 %i, 1
  %more = icmp ne i64 %x, 0
  br i1 %more, label %loop, label %exit
exit:
  ret i64 %i
}
