; Kernel launches of host code: cudaLaunchKernel is one launch of the kernel that it names, and no call;
; what clang adds to pass the launch's shape costs nothing.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: counts of host
; CHECK: launch stub(
; CHECK: total launches = 1{{$}}
define void @host(ptr %arguments) {
  %1 = call i32 @__cudaPushCallConfiguration(i64 1, i32 1, i64 256, i32 1, i64 0, ptr null)
  %2 = call i32 @cudaLaunchKernel(ptr @stub, i64 1, i32 1, i64 256, i32 1, ptr %arguments, i64 0, ptr null)
  ret void
}
; CHECK-LABEL: counts of stub
define void @stub() {
  ret void
}
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64, ptr)
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
