; Dimensions that are no formula of the function's parameters have a name and a position each; what may have been
; changed since it was stored is not taken for an argument.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The block is read from memory: x and y are the halves of what was there on entry.
; CHECK-LABEL: counts of loaded
; CHECK: launch k() shape 7 1 1 x where `(where+4)` 1, shared 0{{$}}
; CHECK-NOT: unknown
define void @loaded(ptr %where) {
  %xy = load i64, ptr %where
  %r = call i32 @cudaLaunchKernel(ptr @__device_stub__k, i64 4294967303, i32 1, i64 %xy, i32 1, ptr null, i64 0, ptr null)
  ret void
}

; A function may have changed it: x and y are unknown, the rest is not.
; CHECK-LABEL: counts of rewritten
; CHECK: launch k() shape 7 1 1 x `block.x@rewritten` `block.y@rewritten` 1, shared 0{{$}}
; CHECK: unknown block.x@rewritten: block.x of the launch
; CHECK: unknown block.y@rewritten: block.y of the launch
define void @rewritten(ptr %where) {
  call void @change(ptr %where)
  %xy = load i64, ptr %where
  %r = call i32 @cudaLaunchKernel(ptr @__device_stub__k, i64 4294967303, i32 1, i64 %xy, i32 1, ptr null, i64 0, ptr null)
  ret void
}

; A dim3 that the function was given is one argument of 64 bits: its halves.
; CHECK-LABEL: counts of given
; CHECK: launch k() shape `(dim+0)` `(dim+4)` z x 32 1 1, shared 0{{$}}
; CHECK-NOT: unknown
define void @given(i64 %dim, i32 %z) {
  %r = call i32 @cudaLaunchKernel(ptr @__device_stub__k, i64 %dim, i32 %z, i64 4294967328, i32 1, ptr null, i64 0, ptr null)
  ret void
}

; The variable's address went to a function between the store and the launch.
; CHECK-LABEL: counts of changed
; CHECK: launch k(?) shape 1 1 1 x 1 1 1, shared 0{{$}}
define void @changed(i32 %n) {
  %n.addr = alloca i32
  %arguments = alloca [1 x ptr]
  store i32 %n, ptr %n.addr
  store ptr %n.addr, ptr %arguments
  call void @change(ptr %n.addr)
  %r = call i32 @cudaLaunchKernel(ptr @__device_stub__k, i64 4294967297, i32 1, i64 4294967297, i32 1, ptr %arguments, i64 0, ptr null)
  ret void
}

; Either of two stores may have been the last.
; CHECK-LABEL: counts of either
; CHECK: launch k(?) shape 1 1 1 x 1 1 1, shared 0{{$}}
define void @either(i32 %n, i1 %c) {
entry:
  %n.addr = alloca i32
  %arguments = alloca [1 x ptr]
  store i32 %n, ptr %n.addr
  store ptr %n.addr, ptr %arguments
  br i1 %c, label %then, label %go
then:
  store i32 5, ptr %n.addr
  br label %go
go:
  %r = call i32 @cudaLaunchKernel(ptr @__device_stub__k, i64 4294967297, i32 1, i64 4294967297, i32 1, ptr %arguments, i64 0, ptr null)
  ret void
}

; The kernel is a function's argument.
; CHECK-LABEL: counts of pointer
; CHECK: launch ?() shape 1 1 1 x 1 1 1, shared 0{{$}}
define void @pointer(ptr %kernel) {
  %r = call i32 @cudaLaunchKernel(ptr %kernel, i64 4294967297, i32 1, i64 4294967297, i32 1, ptr null, i64 0, ptr null)
  ret void
}

declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare void @__device_stub__k(i32)
declare void @change(ptr)
