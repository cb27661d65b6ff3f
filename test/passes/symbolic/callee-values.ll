; What a call leaves in an object that it is given: a formula in its arguments and in what it found there. As many bytes are
; set as the load sees, so each total is the loaded value.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target datalayout = "e-p:64:64-i64:64"
target triple = "x86_64-pc-linux-gnu"

declare void @unknown(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @set(ptr %this, i64 %rows, i64 %columns) noinline {
  %second = getelementptr i8, ptr %this, i64 8
  store i64 %rows, ptr %this
  store i64 %columns, ptr %second
  ret void
}
; CHECK-LABEL: counts of after_set
; CHECK: total store_bytes_memory = m{{$}}
define void @after_set(i64 %n, i64 %m, ptr %to) {
  %object = alloca [16 x i8]
  call void @set(ptr %object, i64 %n, i64 %m)
  %at = getelementptr i8, ptr %object, i64 8
  %v = load i64, ptr %at
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  ret void
}

; Two calls deep, with a value that the callee found in memory: 2·(n + 1).
define void @twice(ptr %this) noinline {
  %old = load i64, ptr %this
  %new = mul i64 %old, 2
  call void @set(ptr %this, i64 %new, i64 0)
  ret void
}
; CHECK-LABEL: counts of two_calls
; CHECK: total store_bytes_memory = 2·n + 2{{$}}
define void @two_calls(i64 %n, ptr %to) {
  %object = alloca [16 x i8]
  %more = add i64 %n, 1
  store i64 %more, ptr %object
  call void @twice(ptr %object)
  %v = load i64, ptr %object
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  ret void
}

; As resize does: nothing where the size is already right. Either way it is n then.
define void @resize(ptr %this, i64 %size) noinline {
  %old = load i64, ptr %this
  %same = icmp eq i64 %old, %size
  br i1 %same, label %end, label %change
change:
  store i64 %size, ptr %this
  br label %end
end:
  ret void
}
; CHECK-LABEL: counts of resized
; CHECK: total store_bytes_memory = n{{$}}
define void @resized(i64 %n, ptr %to) {
  %object = alloca [16 x i8]
  call void @llvm.memset.p0.i64(ptr %object, i8 0, i64 16, i1 false)
  call void @resize(ptr %object, i64 %n)
  %v = load i64, ptr %object
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  ret void
}

; Through a pointer in another object, and what is beside it stays.
define void @of_other(ptr %this, ptr %other) noinline {
  %source = load ptr, ptr %other
  %size = load i64, ptr %source
  store i64 %size, ptr %this
  ret void
}
; CHECK-LABEL: counts of through_pointer
; CHECK: total store_bytes_memory = m + n{{$}}
define void @through_pointer(i64 %n, i64 %m, ptr %to) {
  %object = alloca [16 x i8]
  %view = alloca ptr
  %result = alloca [16 x i8]
  store i64 %n, ptr %object
  store ptr %object, ptr %view
  %beside = getelementptr i8, ptr %result, i64 8
  store i64 %m, ptr %beside
  call void @of_other(ptr %result, ptr %view)
  %v = load i64, ptr %result
  %w = load i64, ptr %beside
  %sum = add i64 %v, %w
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %sum, i1 false)
  ret void
}

; Copies and fills are followed. By hand: n + 0.
; CHECK-LABEL: counts of copied
; CHECK: total store_bytes_memory = n + 16{{$}}
define void @copied(i64 %n, ptr %to) {
  %object = alloca [16 x i8]
  %other = alloca [16 x i8]
  call void @llvm.memset.p0.i64(ptr %object, i8 0, i64 16, i1 false)
  call void @resize(ptr %object, i64 %n)
  call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %object, i64 16, i1 false)
  %at = getelementptr i8, ptr %other, i64 8
  %v = load i64, ptr %other
  %w = load i64, ptr %at
  %sum = add i64 %v, %w
  %more = add i64 %sum, 16
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %more, i1 false)
  ret void
}

; In a loop: each round leaves the size as it is, and adds 3 to a counter beside it.
define void @count(ptr %this, i64 %size) noinline {
  call void @resize(ptr %this, i64 %size)
  %at = getelementptr i8, ptr %this, i64 8
  %old = load i64, ptr %at
  %new = add i64 %old, 3
  store i64 %new, ptr %at
  ret void
}
; CHECK-LABEL: counts of in_loop
; CHECK: total store_bytes_memory = 10·n{{$}}
define void @in_loop(i64 %n, ptr %to) {
entry:
  %object = alloca [16 x i8]
  call void @llvm.memset.p0.i64(ptr %object, i8 0, i64 16, i1 false)
  call void @resize(ptr %object, i64 %n)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = load i64, ptr %object
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  call void @count(ptr %object, i64 %n)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 10
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A part of a structure that is returned.
define { i64, i64 } @pair(i64 %n) noinline {
  %half = lshr i64 %n, 1
  %first = insertvalue { i64, i64 } poison, i64 %n, 0
  %both = insertvalue { i64, i64 } %first, i64 7, 1
  ret { i64, i64 } %both
}
; CHECK-LABEL: counts of returned
; CHECK: total store_bytes_memory = n + 7{{$}}
define void @returned(i64 %n, ptr %to) {
  %both = call { i64, i64 } @pair(i64 %n)
  %v = extractvalue { i64, i64 } %both, 0
  %w = extractvalue { i64, i64 } %both, 1
  %sum = add i64 %v, %w
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %sum, i1 false)
  ret void
}

; The two pointers may lead to one object; of the caller's they do not.
define void @both(ptr %this, ptr %other) noinline {
  store i64 5, ptr %this
  store i64 9, ptr %other
  ret void
}
; CHECK-LABEL: counts of may_alias
; CHECK: total store_bytes_memory = value@may_alias{{$}}
define void @may_alias(ptr %object, ptr %other, ptr %to) {
  call void @both(ptr %object, ptr %other)
  %v = load i64, ptr %object
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  ret void
}

; Unknown: an object that code without a body has seen, recursion, a body that may be replaced.
; CHECK-LABEL: counts of after_unknown
; CHECK: total store_bytes_memory = value@after_unknown{{$}}
define void @after_unknown(i64 %n, ptr %to) {
  %object = alloca [16 x i8]
  call void @set(ptr %object, i64 %n, i64 %n)
  call void @unknown(ptr %object)
  %v = load i64, ptr %object
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  ret void
}
define void @recursive(ptr %this, i64 %n) noinline {
entry:
  %stop = icmp eq i64 %n, 0
  br i1 %stop, label %end, label %more
more:
  %less = sub i64 %n, 1
  call void @recursive(ptr %this, i64 %less)
  br label %end
end:
  ret void
}
; CHECK-LABEL: counts of after_recursive
; CHECK: total store_bytes_memory = value@after_recursive{{$}}
define void @after_recursive(i64 %n, ptr %to) {
  %object = alloca [16 x i8]
  store i64 %n, ptr %object
  call void @recursive(ptr %object, i64 %n)
  %v = load i64, ptr %object
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  ret void
}
define weak void @replaceable(ptr %this) noinline {
  store i64 3, ptr %this
  ret void
}
; CHECK-LABEL: counts of after_replaceable
; CHECK: total store_bytes_memory = value@after_replaceable{{$}}
define void @after_replaceable(ptr %to) {
  %object = alloca [16 x i8]
  call void @replaceable(ptr %object)
  %v = load i64, ptr %object
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  ret void
}

; A pointer to the object is kept as an integer, as in a structure of one reference, and loaded again on one of the ways.
define void @of_reference(ptr %this, ptr %reference) noinline {
entry:
  %source = load ptr, ptr %reference
  %size = load i64, ptr %source
  %small = icmp slt i64 %size, 1
  br i1 %small, label %again, label %join
again:
  %same = load ptr, ptr %reference
  br label %join
join:
  %at = phi ptr [ %source, %entry ], [ %same, %again ]
  %second = getelementptr i8, ptr %at, i64 8
  %columns = load i64, ptr %second
  store i64 %columns, ptr %this
  ret void
}
; CHECK-LABEL: counts of kept_as_integer
; CHECK: total store_bytes_memory = m{{$}}
define void @kept_as_integer(i64 %n, i64 %m, ptr %to) {
  %object = alloca [16 x i8]
  %view = alloca i64
  %result = alloca [16 x i8]
  call void @set(ptr %object, i64 %n, i64 %m)
  %number = ptrtoint ptr %object to i64
  store i64 %number, ptr %view
  call void @of_reference(ptr %result, ptr %view)
  %v = load i64, ptr %result
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  ret void
}

; What a function throws is its own: it leaves the caller's other object alone.
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr)
declare void @destroy(ptr)
declare i32 @__gxx_personality_v0(...)
@type = external constant ptr
define void @throwing(ptr %this, i64 %size) noinline personality ptr @__gxx_personality_v0 {
  %bad = icmp slt i64 %size, 0
  br i1 %bad, label %throw, label %good
good:
  store i64 %size, ptr %this
  ret void
throw:
  %thrown = call ptr @__cxa_allocate_exception(i64 8)
  store ptr @type, ptr %thrown
  invoke void @__cxa_throw(ptr %thrown, ptr @type, ptr @destroy) to label %never unwind label %cleanup
never:
  unreachable
cleanup:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}
; CHECK-LABEL: counts of after_throwing
; CHECK: total store_bytes_memory = n{{$}}
define void @after_throwing(i64 %n, i64 %m, ptr %to) {
  %object = alloca [16 x i8]
  %other = alloca [16 x i8]
  call void @throwing(ptr %object, i64 %n)
  call void @throwing(ptr %other, i64 %m)
  %v = load i64, ptr %object
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %v, i1 false)
  ret void
}
