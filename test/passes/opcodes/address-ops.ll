; address_ops: a GEP that the target cannot fold into the access that uses it.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s "--implicit-check-not=total address_ops"
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; x86 addresses base + 8·index + constant in the load itself.
; CHECK-LABEL: counts of folded
; CHECK: total loads_memory = 2{{$}}
define void @folded(ptr %p, i64 %i) {
  %a = getelementptr double, ptr %p, i64 %i
  %x = load double, ptr %a
  %b = getelementptr i8, ptr %p, i64 40
  %y = load double, ptr %b
  ret void
}

; A stride of 24 bytes is no scale of x86 (1, 2, 4, 8): one operation.
; CHECK-LABEL: counts of unfolded
; CHECK: total address_ops = 1{{$}}
; CHECK: total loads_memory = 1{{$}}
define void @unfolded(ptr %p, i64 %i) {
  %a = getelementptr { double, double, double }, ptr %p, i64 %i
  %x = load double, ptr %a
  ret void
}
