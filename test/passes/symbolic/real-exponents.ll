; The logarithm of a power of two is a number, also by the instruction that approximates others: a loop of `i <= log2(16)`
; runs four times, without a test before it that needs one.
; RUN: %opt -passes='print<ergon-trip-counts>' -disable-output %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: trip counts of to_logarithm
; CHECK: loop {{.*}}: entries 1, last 3{{$}}
define ptx_kernel void @to_logarithm(ptr addrspace(1) %p) {
entry:
  %last = call float @llvm.nvvm.lg2.approx.f(float 1.600000e+01)
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr addrspace(1) %p
  %next = add nuw nsw i32 %i, 1
  %number = uitofp nneg i32 %next to float
  %ends = fcmp ult float %last, %number
  br i1 %ends, label %exit, label %loop
exit:
  ret void
}
declare float @llvm.nvvm.lg2.approx.f(float)
