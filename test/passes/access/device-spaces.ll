; The space of an access on a device comes from the object underneath a flat pointer.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s --implicit-check-not=total \
; RUN:   "-DT=block.x·block.y·block.z·grid.x·grid.y·grid.z"
; Each thread of a kernel's launch does the same here, so a kernel's counts are those of one thread times the threads T.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x float] undef
@coefficients = addrspace(4) constant [4 x float] zeroinitializer
@counter = addrspace(1) global i32 0
%args = type { ptr, ptr, i32 }

; A kernel's pointer parameters point to global memory.
; CHECK-LABEL: counts of parameters (kernel)
; CHECK: load 4 global from 0
; CHECK: store 4 global to 0
; CHECK: total loads_global = [[T]]{{$}}
; CHECK: total stores_global = [[T]]{{$}}
; CHECK: total load_bytes_global = 4·[[T]]{{$}}
; CHECK: total store_bytes_global = 4·[[T]]{{$}}
define ptx_kernel void @parameters(ptr %from, ptr %to) {
  %v = load float, ptr %from
  store float %v, ptr %to
  ret void
}

; Shared, constant and global variables behind an addrspacecast; one of each. An address is a register and a
; constant on this target, so the index is an operation of its own, and so is the extension.
; CHECK-LABEL: counts of variables (kernel)
; CHECK: total int_ops = [[T]]{{$}}
; CHECK: total address_ops = [[T]]{{$}}
; CHECK: total loads_global = [[T]]{{$}}
; CHECK: total loads_constant = [[T]]{{$}}
; CHECK: total stores_shared = [[T]]{{$}}
; CHECK: total load_bytes_global = 4·[[T]]{{$}}
; CHECK: total load_bytes_constant = 4·[[T]]{{$}}
; CHECK: total store_bytes_shared = 4·[[T]]{{$}}
define ptx_kernel void @variables() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %c = load float, ptr addrspacecast (ptr addrspace(4) @coefficients to ptr)
  %a = getelementptr float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %i
  store float %c, ptr %a
  %n = load i32, ptr addrspacecast (ptr addrspace(1) @counter to ptr)
  ret void
}

; A pointer whose type says the space.
; CHECK-LABEL: counts of typed (kernel)
; CHECK: total loads_shared = [[T]]{{$}}
; CHECK: total loads_local = [[T]]{{$}}
; CHECK: total load_bytes_shared = 4·[[T]]{{$}}
; CHECK: total load_bytes_local = 4·[[T]]{{$}}
define ptx_kernel void @typed(ptr addrspace(3) %s, ptr addrspace(5) %l) {
  %a = load float, ptr addrspace(3) %s
  %b = load float, ptr addrspace(5) %l
  ret void
}

; A variable of the thread is local.
; CHECK-LABEL: counts of local (kernel)
; CHECK: total address_ops = [[T]]{{$}}
; CHECK: total loads_local = [[T]]{{$}}
; CHECK: total stores_local = [[T]]{{$}}
; CHECK: total load_bytes_local = 4·[[T]]{{$}}
; CHECK: total store_bytes_local = 4·[[T]]{{$}}
define ptx_kernel void @local(i64 %i) {
  %a = alloca [8 x float]
  %p = getelementptr float, ptr %a, i64 %i
  store float 1.0, ptr %p
  %x = load float, ptr %p
  ret void
}

; A structure by value is in parameter space, and a pointer in it points to global memory: one load of
; the pointer (8 bytes), one of what it points to (4).
; CHECK-LABEL: counts of by_value (kernel)
; CHECK: total loads_global = [[T]]{{$}}
; CHECK: total loads_param = [[T]]{{$}}
; CHECK: total load_bytes_global = 4·[[T]]{{$}}
; CHECK: total load_bytes_param = 8·[[T]]{{$}}
define ptx_kernel void @by_value(ptr byval(%args) %a) {
  %field = getelementptr %args, ptr %a, i64 0, i32 1
  %p = load ptr, ptr %field
  %x = load float, ptr %p
  ret void
}

; Nor where the structure has it as an integer, or a parameter is one: so do iterators. As LLVM's NVPTXLowerArgs: where it is
; nothing else as well.
; CHECK-LABEL: counts of as_integer (kernel)
; CHECK: total int_ops = [[T]]{{$}}
; CHECK: total loads_global = 2·[[T]]{{$}}
; CHECK: total loads_param = [[T]]{{$}}
; CHECK: total loads_generic = [[T]]{{$}}
; CHECK: total stores_global = [[T]]{{$}}
; CHECK: total load_bytes_global = 8·[[T]]{{$}}
; CHECK: total load_bytes_param = 8·[[T]]{{$}}
; CHECK: total load_bytes_generic = 4·[[T]]{{$}}
; CHECK: total store_bytes_global = 8·[[T]]{{$}}
define ptx_kernel void @as_integer(ptr byval(%args) %a, i64 %b, i64 %c, ptr %to) {
  %field = getelementptr %args, ptr %a, i64 0, i32 1
  %i = load i64, ptr %field
  %p = inttoptr i64 %i to ptr
  %x = load float, ptr %p
  %q = inttoptr i64 %b to ptr
  %y = load float, ptr %q
  %r = inttoptr i64 %c to ptr
  %z = load float, ptr %r
  %d = add i64 %c, 1
  store i64 %d, ptr %to
  ret void
}

; One of two global pointers is global; a global or a shared one is generic.
; CHECK-LABEL: counts of choices (kernel)
; CHECK: total int_ops = [[T]]{{$}}
; CHECK: total branches = [[T]]{{$}}
; CHECK: total loads_global = [[T]]{{$}}
; CHECK: total loads_generic = [[T]]{{$}}
; CHECK: total load_bytes_global = 4·[[T]]{{$}}
; CHECK: total load_bytes_generic = 4·[[T]]{{$}}
define ptx_kernel void @choices(i1 %c, ptr %a, ptr %b) {
entry:
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %p = phi ptr [ %a, %entry ], [ %b, %then ]
  %x = load float, ptr %p
  %q = select i1 %c, ptr %a, ptr addrspacecast (ptr addrspace(3) @tile to ptr)
  %y = load float, ptr %q
  ret void
}

; A device function's pointer may point anywhere: generic.
; CHECK-LABEL: counts of device_function{{$}}
; CHECK: total loads_generic = 1{{$}}
; CHECK: total load_bytes_generic = 4{{$}}
define float @device_function(ptr %p) {
  %x = load float, ptr %p
  ret float %x
}

; A pointer that walks through global memory: global.
; CHECK-LABEL: counts of walking (kernel)
; CHECK: total int_ops = 16·[[T]]{{$}}
; CHECK: total branches = 8·[[T]]{{$}}
; CHECK: total loads_global = 8·[[T]]{{$}}
; CHECK: total load_bytes_global = 32·[[T]]{{$}}
define ptx_kernel void @walking(ptr %a) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %a, %entry ], [ %next, %loop ]
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = load float, ptr %p
  %next = getelementptr float, ptr %p, i64 4
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp ne i64 %i.next, 8
  br i1 %c, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
