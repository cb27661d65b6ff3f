; Device functions that are not inlined: their pointer parameters may lead anywhere, and each call says where its
; arguments do, or by which of the caller's parameters. (Totals over calls: test/kernels/device-calls.test.)
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@part = internal addrspace(3) global [64 x float] undef
@table = addrspace(4) constant [64 x float] zeroinitializer

; CHECK-LABEL: counts of twice
; CHECK: total loads_generic = 2{{$}}
define float @twice(ptr %a, ptr %b) noinline {
  %x = load float, ptr %a
  %y = load float, ptr %b
  %s = fadd float %x, %y
  ret float %s
}

; A kernel's argument is in global memory; a variable of a space may come behind a flat pointer.
; CHECK-LABEL: counts of kernel (kernel)
; CHECK: call twice(?, ?), 0 to global, 1 to shared{{$}}
; CHECK: call twice(?, ?), 0 to constant, 1 to local{{$}}
define ptx_kernel void @kernel(ptr %p) {
  %local = alloca float
  %inside = getelementptr float, ptr %p, i64 5
  %s = call float @twice(ptr %inside, ptr addrspacecast (ptr addrspace(3) @part to ptr))
  %c = call float @twice(ptr addrspacecast (ptr addrspace(4) @table to ptr), ptr %local)
  ret void
}

; A parameter that goes on to another function; of one that is loaded nothing is known.
; CHECK-LABEL: counts of between
; CHECK: call twice(?, ?), 0 to q{{$}}
define float @between(ptr %q) noinline {
  %inside = getelementptr float, ptr %q, i64 5
  %loaded = load ptr, ptr %q
  %s = call float @twice(ptr %inside, ptr %loaded)
  ret float %s
}

; A structure of pointers that the host passed by value, walked through: each leads to global memory.
; CHECK-LABEL: counts of rows (kernel)
; CHECK: call once(?), 0 to global{{$}}
define float @once(ptr %a) noinline {
  %x = load float, ptr %a
  ret float %x
}
define ptx_kernel void @rows(ptr byval([4 x ptr]) %rows) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr [4 x ptr], ptr %rows, i64 0, i64 %i
  %row = load ptr, ptr %at
  %s = call float @once(ptr %row)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %loop, label %done
done:
  ret void
}
