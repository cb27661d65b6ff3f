; RUN: %opt -disable-output -passes='print<ergon-counts>' %s | FileCheck %s
; Names that flang made, without debug information: what is left is that flang made them. One addition each.
; A variable of a common block or module is read in `shift`, one of a procedure in `count`.

!llvm.ident = !{!0}
!0 = !{!"flang version 22.1.8"}

@_QMgridEweight = global double 1.0
@block_ = common global [16 x i8] zeroinitializer
@_QFcountEcalls = internal global i32 0

; CHECK: counts of _QMgridPshift
; CHECK: load 8 memory grid::weight 0
; CHECK: load 8 memory block 8
define double @_QMgridPshift() {
  %w = load double, ptr @_QMgridEweight
  %b = load double, ptr getelementptr (i8, ptr @block_, i64 8)
  %s = fadd double %w, %b
  ret double %s
}

; CHECK: counts of count_
; CHECK: load 4 memory count::calls 0
define void @count_() {
  %c = load i32, ptr @_QFcountEcalls
  %d = add i32 %c, 1
  store i32 %d, ptr @_QFcountEcalls
  ret void
}
