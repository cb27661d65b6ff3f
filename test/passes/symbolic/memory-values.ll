; Integers in memory: what the function finds there on entry goes by a name, what it stored there itself by its value.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target datalayout = "e-p:64:64-i64:64"
target triple = "x86_64-pc-linux-gnu"

@five = private constant i32 5
@N = global i32 0
@S = internal global i32 0
@ompi_mpi_double = external global i8
@ready = external global i8
declare void @inner(ptr, ptr)
declare void @reads(ptr nocapture readonly) memory(argmem: read)
declare void @effect()

; One place, read twice with a store to another object between, is one symbol: n + n bytes, and 8 of the store.
; CHECK-LABEL: counts of twice
; CHECK: total store_bytes_memory = 2·n + 8{{$}}
define void @twice(ptr readonly %n, ptr noalias %to) {
  %a = load i64, ptr %n
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %a, i1 false)
  store double 1.0, ptr %to
  %b = load i64, ptr %n
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %b, i1 false)
  ret void
}

; The first store may have gone to the same place, and so may the call's.
; CHECK-LABEL: counts of changed
; CHECK: total store_bytes_memory = value@changed + 8{{$}}
define void @changed(ptr %n, ptr %to) {
  store i64 1, ptr %to
  %a = load i64, ptr %n
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %a, i1 false)
  ret void
}
; CHECK-LABEL: counts of after_call
; CHECK: total store_bytes_memory = value@after_call{{$}}
define void @after_call(ptr %n, ptr %to) {
  call void @inner(ptr %n, ptr %to)
  %a = load i64, ptr %n
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %a, i1 false)
  ret void
}

; Without debug info a field is so many bytes behind the parameter, also behind a pointer that lies there.
; CHECK-LABEL: counts of fields
; CHECK: total store_bytes_memory = ((p+8)+16) + (p+0) + (p+16){{$}}
define void @fields(ptr readonly %p, ptr noalias %to) {
  %first = load i64, ptr %p
  %at = getelementptr i8, ptr %p, i64 16
  %second = load i64, ptr %at
  %link = getelementptr i8, ptr %p, i64 8
  %next = load ptr, ptr %link
  %behind = getelementptr i8, ptr %next, i64 16
  %third = load i64, ptr %behind
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %first, i1 false)
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %second, i1 false)
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %third, i1 false)
  ret void
}

; Globals: of the program, and of this file alone.
; CHECK-LABEL: counts of globals
; CHECK: call inner(`::N`, `{{.*}}::S`)
define void @globals() {
  call void @inner(ptr @N, ptr @S)
  ret void
}

; What pointer arguments lead to: 2n; after the call that may have changed it, unknown; 5; a library's object by name.
; CHECK-LABEL: counts of arguments
; CHECK: call inner(2*n, 5)
; CHECK: call inner(?, `&ompi_mpi_double`)
define void @arguments(i32 %n) {
  %x = alloca i32
  %twice = mul nsw i32 %n, 2
  store i32 %twice, ptr %x
  call void @inner(ptr %x, ptr @five)
  call void @inner(ptr %x, ptr @ompi_mpi_double)
  ret void
}

; A call that only reads changes nothing; of two stores on two ways neither is known.
; CHECK-LABEL: counts of stored
; CHECK: call reads(n)
; CHECK: call inner(n, ?)
; CHECK-LABEL: counts of either
; CHECK: call inner(?, ?)
define void @stored(i32 %n) {
  %x = alloca i32
  %y = alloca double
  store i32 %n, ptr %x
  call void @reads(ptr %x)
  call void @inner(ptr %x, ptr %y)
  ret void
}
define void @either(i32 %n, i1 %which) {
  %x = alloca i32
  %y = alloca double
  br i1 %which, label %one, label %other
one:
  store i32 %n, ptr %x
  br label %both
other:
  store i32 7, ptr %x
  br label %both
both:
  call void @inner(ptr %x, ptr %y)
  ret void
}

; A local variable that nobody else knows yet is untouched by a call.
; CHECK-LABEL: counts of own
; CHECK: call effect()
; CHECK: call inner(n, ?)
define void @own(i32 %n) {
  %x = alloca i32
  %y = alloca double
  store i32 %n, ptr %x
  call void @effect()
  call void @inner(ptr %x, ptr %y)
  ret void
}
