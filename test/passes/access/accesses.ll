; The printer of accesses alone: object and offset of each, and the loop it is in.
; RUN: %opt -passes='print<ergon-accesses>' -disable-output %s | FileCheck %s
target datalayout = "e-p:64:64-i64:64"
target triple = "x86_64-pc-linux-gnu"

@table = global [16 x double] zeroinitializer

; By hand: 8 bytes at table + 24, 4 bytes of p each iteration, 8 of q where nothing says which.
; CHECK-LABEL: accesses of walk
; CHECK-NEXT:    block %entry{{$}}
; CHECK-NEXT:      load 8 memory table 24
; CHECK-NEXT:    block %loop in loop [[I:[a-z0-9]+]]
; CHECK-NEXT:      load 4 memory p 4*[[I]]
; CHECK-NEXT:      store 8 memory q ?
; CHECK-NEXT:    block %exit{{$}}
; CHECK-NOT:     {{load|store}}
define double @walk(i64 %n, ptr %p, ptr %q) {
entry:
  %t = load double, ptr getelementptr (i8, ptr @table, i64 24)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %a = getelementptr i32, ptr %p, i64 %i
  %x = load i32, ptr %a
  %w = sext i32 %x to i64
  %b = getelementptr double, ptr %q, i64 %w
  store double %t, ptr %b
  %i1 = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i1, %n
  br i1 %more, label %loop, label %exit
exit:
  ret double %t
}
