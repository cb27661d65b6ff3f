; Loads and stores on a host: `stack` where the object is a local variable, else `memory`. Bytes are what the
; type takes in memory.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

@table = global [16 x double] zeroinitializer

; A parameter and a global: 2 loads of 8 bytes, 1 store of 4.
; CHECK-LABEL: counts of memory
; CHECK: load 8 memory p 0
; CHECK: load 8 memory table 24
; CHECK: store 4 memory p 4
; CHECK: total loads_memory = 2{{$}}
; CHECK: total stores_memory = 1{{$}}
; CHECK: total load_bytes_memory = 16{{$}}
; CHECK: total store_bytes_memory = 4{{$}}
define void @memory(ptr %p) {
  %x = load double, ptr %p
  %y = load double, ptr getelementptr ([16 x double], ptr @table, i64 0, i64 3)
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q
  ret void
}

; CHECK-LABEL: counts of stack
; CHECK: total loads_stack = 1{{$}}
; CHECK: total stores_stack = 1{{$}}
; CHECK: total load_bytes_stack = 8{{$}}
; CHECK: total store_bytes_stack = 8{{$}}
define void @stack(i64 %i) {
  %a = alloca [8 x double]
  %p = getelementptr double, ptr %a, i64 %i
  store double 1.0, ptr %p
  %x = load double, ptr %p
  ret void
}

; Which of the two it is nobody knows: memory.
; CHECK-LABEL: counts of either
; CHECK: total int_ops = 1{{$}}
; CHECK: total loads_memory = 1{{$}}
; CHECK: total load_bytes_memory = 8{{$}}
define void @either(i1 %c, ptr %p) {
  %a = alloca double
  %q = select i1 %c, ptr %a, ptr %p
  %x = load double, ptr %q
  ret void
}

; Sizes: 1 bit takes a byte, an x87 value 10, a vector of 3 floats 12, of 4 doubles 32. One load each.
; CHECK-LABEL: counts of sizes
; CHECK: total loads_memory = 4{{$}}
; CHECK: total load_bytes_memory = 55{{$}}
define void @sizes(ptr %p) {
  %a = load i1, ptr %p
  %b = load x86_fp80, ptr %p
  %c = load <3 x float>, ptr %p
  %d = load <4 x double>, ptr %p
  ret void
}

; An atomic operation reads and writes: 2 atomics (4 and 8 bytes). Atomic loads and fences are not among them.
; CHECK-LABEL: counts of atomics
; CHECK: atomic 4 memory p 0
; CHECK: atomic 8 memory p 0
; CHECK: total atomics = 2{{$}}
; CHECK: total loads_memory = 3{{$}}
; CHECK: total stores_memory = 2{{$}}
; CHECK: total load_bytes_memory = 16{{$}}
; CHECK: total store_bytes_memory = 12{{$}}
define void @atomics(ptr %p) {
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  %b = cmpxchg ptr %p, i64 0, i64 1 seq_cst seq_cst
  %c = load atomic i32, ptr %p seq_cst, align 4
  fence seq_cst
  ret void
}
