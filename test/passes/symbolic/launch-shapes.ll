; What clang makes of k<<<grid, block, shared, stream>>>(arguments): the launch's dimensions and the kernel's arguments
; as expressions of the function that launches. A dim3's x and y are one number of 64 bits, x + 2^32·y. The runtime's
; calls are taken to succeed: neither the branch on a status nor what follows a failure is counted.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not='taken@' --implicit-check-not=unknown
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%dim3 = type { i32, i32, i32 }

; The stub: shape and arguments are its caller's. The name of a kernel is that of its stub without the mark: _Z1kif.
; CHECK-LABEL: counts of _Z16__device_stub__kif
; CHECK: launch _Z1kif(n, ?) shape grid.x grid.y grid.z x block.x block.y block.z, shared shared_bytes{{$}}
; CHECK: total launches = 1{{$}}
define void @_Z16__device_stub__kif(i32 %n, float %f) {
  %n.addr = alloca i32
  %f.addr = alloca float
  %grid = alloca %dim3, align 8
  %block = alloca %dim3, align 8
  %shared = alloca i64
  %stream = alloca ptr
  %arguments = alloca [2 x ptr], align 16
  store i32 %n, ptr %n.addr
  store float %f, ptr %f.addr
  store ptr %n.addr, ptr %arguments
  %second = getelementptr i8, ptr %arguments, i64 8
  store ptr %f.addr, ptr %second
  %s = call i32 @__cudaPopCallConfiguration(ptr %grid, ptr %block, ptr %shared, ptr %stream)
  %bytes = load i64, ptr %shared
  %on = load ptr, ptr %stream
  %gxy = load i64, ptr %grid
  %gz.addr = getelementptr i8, ptr %grid, i64 8
  %gz = load i32, ptr %gz.addr
  %bxy = load i64, ptr %block
  %bz.addr = getelementptr i8, ptr %block, i64 8
  %bz = load i32, ptr %bz.addr
  %r = call i32 @cudaLaunchKernel(ptr @_Z16__device_stub__kif, i64 %gxy, i32 %gz, i64 %bxy, i32 %bz, ptr %arguments, i64 %bytes, ptr %on)
  ret void
}

; k<<<dim3((n + 255) / 256, m), dim3(32, 8, 2), 64·m>>>(n - 1, f). (n + 255) / 256 rounds toward zero; a dimension is at
; least 1, so it rounds down. 34359738400 is 32 + 8·2^32.
; CHECK-LABEL: counts of shaped
; CHECK: call _Z16__device_stub__kif(-1+n, `~f`) shape floor(255+n,256) m 1 x 32 8 2, shared 64*m{{$}}
; CHECK: total calls = 1{{$}}
define void @shaped(i32 %n, i32 %m, float %f) {
entry:
  %a = add nsw i32 %n, 255
  %x = sdiv i32 %a, 256
  %x.wide = zext i32 %x to i64
  %y.wide = zext i32 %m to i64
  %y.high = shl nuw i64 %y.wide, 32
  %xy = or disjoint i64 %y.high, %x.wide
  %shared = mul i64 %y.wide, 64
  %s = call i32 @__cudaPushCallConfiguration(i64 %xy, i32 1, i64 34359738400, i32 2, i64 %shared, ptr null)
  %ok = icmp eq i32 %s, 0
  br i1 %ok, label %launch, label %done
launch:
  %less = sub nsw i32 %n, 1
  call void @_Z16__device_stub__kif(i32 %less, float %f)
  br label %done
done:
  ret void
}

; What -O0 leaves after its variables are in registers: garbage halves, masked and filled in. Here n + 2^32·3.
; CHECK-LABEL: counts of filled
; CHECK: shape n 3 1 x 1 1 1, shared 0{{$}}
define void @filled(i32 %n, float %f) {
  %three = zext i32 3 to i64
  %high = shl i64 %three, 32
  %keep.low = and i64 undef, 4294967295
  %one = or i64 %keep.low, %high
  %low = zext i32 %n to i64
  %keep.high = and i64 %one, -4294967296
  %xy = or i64 %keep.high, %low
  %s = call i32 @__cudaPushCallConfiguration(i64 %xy, i32 1, i64 4294967297, i32 1, i64 0, ptr null)
  call void @_Z16__device_stub__kif(i32 %n, float %f)
  ret void
}

; for (i = 0; i < n; ++i) k<<<dim3(4, i + 1), 32>>>(n - i, f): the variable was made 64 bits wide, and the shape changes
; with it. 4294967300 is 4 + 2^32; 4294967328 is 32 + 2^32.
; CHECK-LABEL: counts of changing
; CHECK: loop [[I:[a-z0-9]+]]: entries [-1+n], last -1+{{.*}}n
; CHECK: call _Z16__device_stub__kif(-[[I]]+n, `~f`) shape 4 1+[[I]] 1 x 32 1 1, shared 0{{$}}
define void @changing(i32 %n, float %f) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %next = add nuw nsw i64 %i, 1
  %high = shl nuw i64 %next, 32
  %xy = or disjoint i64 %high, 4
  %s = call i32 @__cudaPushCallConfiguration(i64 %xy, i32 1, i64 4294967328, i32 1, i64 0, ptr null)
  %failed = icmp ne i32 %s, 0
  br i1 %failed, label %latch, label %launch
launch:
  %narrow = trunc i64 %i to i32
  %rest = sub i32 %n, %narrow
  call void @_Z16__device_stub__kif(i32 %rest, float %f)
  br label %latch
latch:
  %narrow.next = trunc i64 %next to i32
  %more = icmp slt i32 %narrow.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; An argument of k<<<1, n>>>(…) itself launches k<<<2, n>>>: the inner call of the configuration, though nearer, belongs
; to the inner launch alone, since the outer one does not hang on its success.
; CHECK-LABEL: counts of nested
; CHECK: call _Z16__device_stub__kif(1, `~f`) shape 2 1 1 x n 1 1, shared 0{{$}}
; CHECK: call _Z16__device_stub__kif(2, `~f`) shape 1 1 1 x n 1 1, shared 0{{$}}
define void @nested(i32 %n, float %f) {
entry:
  %x = zext i32 %n to i64
  %xy = or disjoint i64 %x, 4294967296
  %outer = call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 %xy, i32 1, i64 0, ptr null)
  %outer.ok = icmp eq i32 %outer, 0
  br i1 %outer.ok, label %arguments, label %done
arguments:
  %inner = call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 %xy, i32 1, i64 0, ptr null)
  %inner.ok = icmp eq i32 %inner, 0
  br i1 %inner.ok, label %first, label %second
first:
  call void @_Z16__device_stub__kif(i32 1, float %f)
  br label %second
second:
  call void @_Z16__device_stub__kif(i32 2, float %f)
  br label %done
done:
  ret void
}

; cudaLaunchKernel by hand, extern "C", in a loop that changes an argument's variable before each launch.
; CHECK-LABEL: counts of direct
; CHECK: launch k([[I:i1]], ?) shape n 1 1 x 64 1 1, shared 0{{$}}
define void @direct(i32 %n, float %f) {
entry:
  %i.addr = alloca i32
  %f.addr = alloca float
  %arguments = alloca [2 x ptr]
  store i32 77, ptr %i.addr
  store float %f, ptr %f.addr
  store ptr %i.addr, ptr %arguments
  %second = getelementptr i8, ptr %arguments, i64 8
  store ptr %f.addr, ptr %second
  %x = zext i32 %n to i64
  %xy = or disjoint i64 %x, 4294967296
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store i32 %i, ptr %i.addr
  %r = call i32 @cudaLaunchKernel(ptr @__device_stub__k, i64 %xy, i32 1, i64 4294967360, i32 1, ptr %arguments, i64 0, ptr null)
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, 10
  br i1 %more, label %loop, label %done
done:
  ret void
}

; if (cudaMemcpy(…) != cudaSuccess) return 1: what follows the failure, a division, does not run, and the flop does.
; CHECK-LABEL: counts of checked
; CHECK-NOT: int_div
; CHECK: total flops_f32 = 1{{$}}
define i32 @checked(i32 %n, float %f) {
entry:
  %s = call i32 @cudaMemcpy(ptr null, ptr null, i64 8, i32 1)
  %failed = icmp ne i32 %s, 0
  br i1 %failed, label %error, label %go
error:
  %q = sdiv i32 %n, 3
  ret i32 %q
go:
  %x = fadd float %f, %f
  ret i32 0
}

declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64, ptr)
declare i32 @__cudaPopCallConfiguration(ptr, ptr, ptr, ptr)
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @cudaMemcpy(ptr, ptr, i64, i32)
declare void @__device_stub__k(i32, float)

; A kernel that a pointer leads to: the call may be of its stub, and has the launch's shape. A call of another function that
; a pointer leads to, behind the launch, has none.
; CHECK-LABEL: counts of pointed
; CHECK: call {{.*}}(n) shape n 1 1 x 64 1 1, shared 0{{$}}
; CHECK: call {{.*}}(n){{$}}
define void @pointed(i32 %n, ptr %kernel, ptr %other) {
entry:
  %x.wide = zext i32 %n to i64
  %xy = or i64 %x.wide, 4294967296
  %s = call i32 @__cudaPushCallConfiguration(i64 %xy, i32 1, i64 4294967360, i32 1, i64 0, ptr null)
  %ok = icmp eq i32 %s, 0
  br i1 %ok, label %launch, label %done
launch:
  call void %kernel(i32 %n)
  br label %done
done:
  call void %other(i32 %n)
  ret void
}
