; The low bits of addresses, by which code peels loops up to aligned data. As many bytes are set as the code
; computes, so each total is that number.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target datalayout = "e-p:64:64-i64:64"
target triple = "x86_64-pc-linux-gnu"

declare noalias ptr @malloc(i64) allockind("alloc,uninitialized") allocsize(0)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; Memory from malloc begins at a multiple of 16, and element 3 of 8 bytes each lies 8 bytes behind one.
; CHECK-LABEL: counts of allocated
; CHECK: total store_bytes_memory = n + 8{{$}}
; CHECK-NOT: assumed
define void @allocated(i64 %n, ptr %to) {
  %memory = call ptr @malloc(i64 %n)
  %at = getelementptr i8, ptr %memory, i64 24
  %number = ptrtoint ptr %at to i64
  %low = and i64 %number, 15
  %bytes = add i64 %n, %low
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %bytes, i1 false)
  ret void
}

; A variable aligned to 8 bytes may begin at any of them: the fourth bit is not known.
; CHECK-LABEL: counts of variable
; CHECK: unknown taken@variable
define void @variable(ptr %to) {
  %object = alloca [24 x i8], align 8
  %number = ptrtoint ptr %object to i64
  %low = and i64 %number, 15
  %whole = icmp eq i64 %low, 0
  br i1 %whole, label %set, label %end
set:
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 5, i1 false)
  br label %end
end:
  ret void
}

; What a parameter leads to is taken to be as aligned as memory from malloc: one of two elements up to the next
; packet is peeled off, none here. The assumption is stated.
; CHECK-LABEL: counts of given
; CHECK: total store_bytes_memory = n{{$}}
; CHECK: assumed: arrays that pointers lead to are aligned as memory from malloc is
define void @given(ptr %data, i64 %n, ptr %to) {
  %number = ptrtoint ptr %data to i64
  %elements = lshr i64 %number, 3
  %peeled = and i64 %elements, 1
  %bytes = add i64 %n, %peeled
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %bytes, i1 false)
  ret void
}

; Nothing is assumed of the bits above: 32-byte packets may begin elsewhere.
; CHECK-LABEL: counts of wider
; CHECK: total store_bytes_memory = data + n - 32·⌊data/32⌋{{$}}
; CHECK-NOT: assumed
define void @wider(ptr %data, i64 %n, ptr %to) {
  %number = ptrtoint ptr %data to i64
  %low = and i64 %number, 31
  %bytes = add i64 %n, %low
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %bytes, i1 false)
  ret void
}
