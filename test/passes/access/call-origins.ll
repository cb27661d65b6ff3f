; Which call made an argument: a plan is worth what the call was given that made it.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
declare ptr @make(i32, ptr)
declare i32 @make_in(ptr, i32)
declare void @run(ptr)
declare void @run_number(i32)
declare ptr @malloc(i64) allockind("alloc,uninitialized") allocsize(0) "alloc-family"="malloc"

; The result of a call.
; CHECK-LABEL: counts of result
; CHECK: call make(2+n, ?)
; CHECK: call run(?), argument 0 made by make(2+n, ?)
define void @result(i32 %n, ptr %data) {
  %size = add i32 %n, 2
  %plan = call ptr @make(i32 %size, ptr %data)
  call void @run(ptr %plan)
  ret void
}

; What a call left in the variable that it was given the address of; a second use; in a loop.
; CHECK-LABEL: counts of variable
; CHECK: call make_in(?, n)
; CHECK: loop
; CHECK: call run_number({{.*}}), argument 0 made by make_in(?, n)
define void @variable(i32 %n) {
entry:
  %plan = alloca i32
  %made = call i32 @make_in(ptr %plan, i32 %n)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %value = load i32, ptr %plan
  call void @run_number(i32 %value)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 8
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A plan that was put into a variable.
; CHECK-LABEL: counts of stored
; CHECK: call run(?), argument 0 made by make(n, ?)
define void @stored(i32 %n, ptr %data) {
  %variable = alloca ptr
  %plan = call ptr @make(i32 %n, ptr %data)
  store ptr %plan, ptr %variable
  %value = load ptr, ptr %variable
  call void @run(ptr %value)
  ret void
}

; Made by one of two calls, or made and then overwritten, or in a branch: not evident.
; CHECK-LABEL: counts of either
; CHECK-NOT: made by
define void @either(i32 %n, i1 %which) {
  %plan = alloca i32
  %other = alloca i32
  %maybe = alloca i32
  %one = call i32 @make_in(ptr %plan, i32 %n)
  %two = call i32 @make_in(ptr %plan, i32 7)
  %value = load i32, ptr %plan
  call void @run_number(i32 %value)
  %three = call i32 @make_in(ptr %other, i32 %n)
  store i32 5, ptr %other
  %again = load i32, ptr %other
  call void @run_number(i32 %again)
  br i1 %which, label %then, label %join
then:
  %four = call i32 @make_in(ptr %maybe, i32 %n)
  br label %join
join:
  %last = load i32, ptr %maybe
  call void @run_number(i32 %last)
  ret void
}

; Memory is no handle.
; CHECK-LABEL: counts of memory
; CHECK-NOT: made by
define void @memory(i64 %n) {
  %memory = call ptr @malloc(i64 %n)
  call void @run(ptr %memory)
  ret void
}
