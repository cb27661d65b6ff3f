; memcpy, memmove and memset: one call each, and the bytes that the length says, in formulas.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total
target triple = "x86_64-pc-linux-gnu"

; 8·n bytes are read and written, n set to zero.
; CHECK-LABEL: counts of copies
; CHECK: total int_ops = 1{{$}}
; CHECK: total calls = 2{{$}}
; CHECK: total load_bytes_memory = 8·n{{$}}
; CHECK: total store_bytes_memory = 9·n{{$}}
define void @copies(ptr %to, ptr %from, i64 %n) {
  %bytes = shl nuw nsw i64 %n, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %bytes, i1 false)
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %n, i1 false)
  ret void
}

; From memory to a local array: 64 bytes.
; CHECK-LABEL: counts of to_stack
; CHECK: total calls = 1{{$}}
; CHECK: total load_bytes_memory = 64{{$}}
; CHECK: total store_bytes_stack = 64{{$}}
define void @to_stack(ptr %from) {
  %a = alloca [8 x double]
  call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %from, i64 64, i1 false)
  ret void
}

; In a loop of m = max(1, n) iterations, i bytes each: 0 + 1 + … + (m-1) = m(m-1)/2.
; CHECK-LABEL: counts of growing
; CHECK: total int_ops = 2·max(1, n){{$}}
; CHECK: total branches = max(1, n){{$}}
; CHECK: total calls = max(1, n){{$}}
; CHECK: total store_bytes_memory = (max(1, n)² - max(1, n))/2{{$}}
define void @growing(ptr %to, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %i, i1 false)
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %i.next, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; A length that may be anything: a symbol.
; CHECK-LABEL: counts of unknown
; CHECK: total calls = 1{{$}}
; CHECK: total loads_memory = 1{{$}}
; CHECK: total load_bytes_memory = 8{{$}}
; CHECK: total store_bytes_memory = value@unknown{{$}}
; CHECK: unknown value@unknown: bytes that are copied or set here
define void @unknown(ptr %to, ptr %length) {
  %n = load volatile i64, ptr %length
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %n, i1 false)
  ret void
}
