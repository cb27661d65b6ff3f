; Loads and stores of neighbours in memory that the back end makes one instruction of are one access in the
; record: the address must be a multiple of all their bytes, and nothing between them may touch the memory.
; Counts are of the code as it is.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=' global '
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Four floats at an address that is a multiple of 16: one load of 16 bytes. The stores are in another order, and
; known to be aligned by the one at the lowest address alone.
; CHECK-LABEL: counts of four (kernel)
; CHECK: load 16 global from 0
; CHECK: store 16 global to 0
; CHECK: total loads_global = 4·
define ptx_kernel void @four(ptr %from, ptr %to) {
  %x1 = getelementptr i8, ptr %from, i64 4
  %x2 = getelementptr i8, ptr %from, i64 8
  %x3 = getelementptr i8, ptr %from, i64 12
  %v0 = load float, ptr %from, align 16
  %v1 = load float, ptr %x1, align 4
  %v2 = load float, ptr %x2, align 8
  %v3 = load float, ptr %x3, align 4
  %y1 = getelementptr i8, ptr %to, i64 4
  %y2 = getelementptr i8, ptr %to, i64 8
  %y3 = getelementptr i8, ptr %to, i64 12
  store float %v0, ptr %y1, align 4
  store float %v1, ptr %y3, align 4
  store float %v2, ptr %y2, align 4
  store float %v3, ptr %to, align 16
  ret void
}

; Three at a multiple of 8: a pair, and one by itself.
; CHECK-LABEL: counts of three (kernel)
; CHECK: load 8 global from 0
; CHECK: load 4 global from 8
; CHECK: store 4 global to 0
define ptx_kernel void @three(ptr %from, ptr %to) {
  %x1 = getelementptr i8, ptr %from, i64 4
  %x2 = getelementptr i8, ptr %from, i64 8
  %v0 = load float, ptr %from, align 8
  %v1 = load float, ptr %x1, align 4
  %v2 = load float, ptr %x2, align 4
  %s = fadd float %v0, %v1
  %t = fadd float %s, %v2
  store float %t, ptr %to, align 4
  ret void
}

; Nothing is known of the address; then what is between them may write where the second reads.
; CHECK-LABEL: counts of apart (kernel)
; CHECK: load 4 global from 0
; CHECK: load 4 global from 4
; CHECK: load 4 global from 16
; CHECK: store 4 global to 0
; CHECK: load 4 global from 20
; CHECK: store 4 global to 4
define ptx_kernel void @apart(ptr %from, ptr %to) {
  %x1 = getelementptr i8, ptr %from, i64 4
  %x4 = getelementptr i8, ptr %from, i64 16
  %x5 = getelementptr i8, ptr %from, i64 20
  %y1 = getelementptr i8, ptr %to, i64 4
  %v0 = load float, ptr %from, align 4
  %v1 = load float, ptr %x1, align 4
  %v4 = load float, ptr %x4, align 4
  %s = fadd float %v0, %v1
  store float %v4, ptr %to, align 8
  %v5 = load float, ptr %x5, align 4
  %t = fadd float %v5, %s
  store float %t, ptr %y1, align 4
  ret void
}
