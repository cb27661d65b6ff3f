; Integer operations: int_ops, int_mul and int_div.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total
target triple = "x86_64-pc-linux-gnu"

; add, sub, and, or, xor, three shifts, compare, select, zero and sign extension, truncation: 13.
; CHECK-LABEL: counts of ops
; CHECK: total int_ops = 13{{$}}
define void @ops(i32 %a, i32 %b) {
  %1 = add i32 %a, %b
  %2 = sub i32 %a, %b
  %3 = and i32 %a, %b
  %4 = or i32 %a, %b
  %5 = xor i32 %a, %b
  %6 = shl i32 %a, 3
  %7 = lshr i32 %a, 3
  %8 = ashr i32 %a, 3
  %9 = icmp ult i32 %a, %b
  %10 = select i1 %9, i32 %a, i32 %b
  %11 = zext i32 %a to i64
  %12 = sext i32 %a to i64
  %13 = trunc i32 %a to i16
  ret void
}

; Two multiplications.
; CHECK-LABEL: counts of multiply
; CHECK: total int_mul = 2{{$}}
define void @multiply(i32 %a, i64 %b) {
  %1 = mul i32 %a, 7
  %2 = mul i64 %b, %b
  ret void
}

; Quotients and remainders, signed and unsigned.
; CHECK-LABEL: counts of divide
; CHECK: total int_div = 4{{$}}
define void @divide(i32 %a, i32 %b) {
  %1 = sdiv i32 %a, %b
  %2 = udiv i32 %a, %b
  %3 = srem i32 %a, %b
  %4 = urem i32 %a, %b
  ret void
}

; Lanes: 8 additions, 4 multiplications, 2 divisions, 4 compares.
; CHECK-LABEL: counts of lanes
; CHECK: total int_ops = 12{{$}}
; CHECK: total int_mul = 4{{$}}
; CHECK: total int_div = 2{{$}}
define void @lanes(<8 x i16> %a, <4 x i32> %b, <2 x i64> %c) {
  %1 = add <8 x i16> %a, %a
  %2 = mul <4 x i32> %b, %b
  %3 = udiv <2 x i64> %c, %c
  %4 = icmp eq <4 x i32> %b, %b
  ret void
}

; smax, smin, abs, ctpop, a rotation, an addition that tells about overflow: 6, and such a multiplication.
; CHECK-LABEL: counts of intrinsics
; CHECK: total int_ops = 6{{$}}
; CHECK: total int_mul = 1{{$}}
define void @intrinsics(i32 %a, i32 %b) {
  %1 = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  %2 = call i32 @llvm.umin.i32(i32 %a, i32 %b)
  %3 = call i32 @llvm.abs.i32(i32 %a, i1 true)
  %4 = call i32 @llvm.ctpop.i32(i32 %a)
  %5 = call i32 @llvm.fshl.i32(i32 %a, i32 %a, i32 5)
  %6 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 %b)
  %7 = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %a, i32 %b)
  ret void
}

; Assumptions, lifetimes and debug information are no code.
; CHECK-LABEL: counts of nothing
define void @nothing(i1 %c, ptr %p) {
  call void @llvm.assume(i1 %c)
  %x = call i64 @llvm.expect.i64(i64 1, i64 1)
  ret void
}
