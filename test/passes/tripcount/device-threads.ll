; Threads: guards and grid-stride loops, summed over the threads of a launch.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Without a guard each thread runs its one flop: grid·block of them in all three axes.
; CHECK-LABEL: counts of unguarded (kernel)
; CHECK: total flops_f32 = block.x·block.y·block.z·grid.x·grid.y·grid.z{{$}}
define ptx_kernel void @unguarded(float %f) {
  %x = fadd float %f, %f
  ret void
}

; if (blockIdx.x·blockDim.x + threadIdx.x < n): of the grid.x·block.x threads of a row the first n, or all where n is
; larger; the guard is in each thread.
; CHECK-LABEL: counts of guarded (kernel)
; CHECK: total flops_f32 = block.y·block.z·grid.y·grid.z·min(block.x·grid.x, n)·[n ≥ 1]{{$}}
; CHECK: total branches = block.x·block.y·block.z·grid.x·grid.y·grid.z{{$}}
; CHECK-NOT: unknown
define ptx_kernel void @guarded(i32 %n, float %f) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %end
then:
  %x = fadd float %f, %f
  br label %end
end:
  ret void
}

; The same as unoptimized code has it: the step is read anew in each iteration.
; CHECK-LABEL: counts of step_in_loop (kernel)
; CHECK: total flops_f32 = block.y·block.z·grid.y·grid.z·n·[n ≥ 1]{{$}}
; CHECK-NOT: unknown
define ptx_kernel void @step_in_loop(i32 %n, float %f) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %first = add i32 %m, %t
  br label %header
header:
  %i = phi i32 [ %first, %entry ], [ %i.next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %end
body:
  %x = fadd float %f, %f
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %step = mul i32 %g, %w
  %i.next = add i32 %i, %step
  br label %header
end:
  ret void
}

; for (i = blockIdx.x·blockDim.x + threadIdx.x; i < n; i += blockDim.x·gridDim.x): thread t of T = grid·block runs
; ceil((n - t)/T) iterations where t < n. No symbol is left but the launch's.
; CHECK-LABEL: counts of grid_stride (kernel)
; Threads of other y and z do the same again; the threads of x share the n elements, whatever the launch.
; CHECK: loop i1: entries [-1-block.x*blockIdx.x+n-threadIdx.x], last floor(-1-block.x*blockIdx.x+n-threadIdx.x,block.x*grid.x)
; CHECK: total flops_f32 = block.y·block.z·grid.y·grid.z·n·[n ≥ 1]{{$}}
; CHECK-NOT: unknown
define ptx_kernel void @grid_stride(i32 %n, float %f) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %first = add i32 %m, %t
  %c = icmp slt i32 %first, %n
  br i1 %c, label %start, label %end
start:
  %step = mul i32 %d, %g
  br label %loop
loop:
  %i = phi i32 [ %first, %start ], [ %i.next, %loop ]
  %x = fadd float %f, %f
  %i.next = add nsw i32 %i, %step
  %e = icmp slt i32 %i.next, %n
  br i1 %e, label %loop, label %end
end:
  ret void
}
; if (threadIdx.y == 0 && blockIdx.x == 0 && blockIdx.y == 0), as the optimizer writes it: no bit of the three is set.
; CHECK-LABEL: counts of corner (kernel)
; CHECK: total flops_f32 = block.x·block.z·grid.z{{$}}
; CHECK-NOT: unknown
define ptx_kernel void @corner(float %f) {
entry:
  %t = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %b = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %o = or i32 %t, %b
  %p = or i32 %o, %d
  %c = icmp eq i32 %p, 0
  br i1 %c, label %then, label %end
then:
  %x = fadd float %f, %f
  br label %end
end:
  ret void
}

; __umul24(blockIdx.x, blockDim.x) + threadIdx.x < n: the mask of 24 bits is the instruction's, not the programmer's.
; CHECK-LABEL: counts of mul24 (kernel)
; CHECK: total flops_f32 = block.y·block.z·grid.y·grid.z·min(block.x·grid.x, n)·[n ≥ 1]{{$}}
; CHECK-NOT: unknown
define ptx_kernel void @mul24(i32 %n, float %f) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mask = and i32 %b, 16777215
  %m = mul i32 %mask, %d
  %i = add i32 %m, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %end
then:
  %x = fadd float %f, %f
  br label %end
end:
  ret void
}

; In the first lane of each warp, its number read by the intrinsic, and by inline PTX as CUB does: the place of the thread in
; its block, modulo 32.
; CHECK-LABEL: counts of lanes (kernel)
; CHECK: runs [-block.x*block.y*threadIdx.z-block.x*threadIdx.y-threadIdx.x+32*floor(block.x*block.y*threadIdx.z+block.x*threadIdx.y+threadIdx.x,32)]: flops_f32=1 flops_f64=1
; CHECK-NOT: unknown
define ptx_kernel void @lanes(float %f, double %d) {
entry:
  %l = call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %c = icmp eq i32 %l, 0
  br i1 %c, label %then, label %more
then:
  %x = fadd float %f, %f
  br label %more
more:
  %m = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %e = icmp ult i32 %m, 1
  br i1 %e, label %also, label %end
also:
  %y = fadd double %d, %d
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()

; CHECK-LABEL: counts of end
define void @end() {
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
