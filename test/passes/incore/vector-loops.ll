; What the vectorizers and the unroller leave. Each function has one scalar flop an iteration of the source's loop.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; for (i < n) of 4 lanes, and its rest, with the vectorizer's way to write n - n % 4. For n < 4 the rest starts at 0. Flops are
; 4·⌊n/4⌋ in the vector loop where n ≥ 4; in the rest n - 4·⌊n/4⌋, or n where n < 4, where ⌊n/4⌋ is 0 for n ≥ 0. Together n.
; CHECK-LABEL: counts of rest
; CHECK: loop i1: entries [-4+n], last -1+floor(n,4)
; CHECK-NEXT: runs 1: flops_f64=4
; The rest is left out where n ≥ 4 is a multiple of 4.
; CHECK-NEXT: loop i1_2: entries [-4+n]*[-1+n-4*floor(n,4)]+[3-n], last -1+n-4*floor(n,4)*[-4+n]{{$}}
; CHECK-NEXT: runs 1: flops_f64=1
define void @rest(i64 range(i64 1, 1073741824) %n, <4 x double> %v, double %d) {
entry:
  %few = icmp ult i64 %n, 4
  br i1 %few, label %scalar, label %vector
vector:
  %whole = and i64 %n, 2147483644
  br label %vloop
vloop:
  %vi = phi i64 [ 0, %vector ], [ %vi.next, %vloop ]
  %s = fadd <4 x double> %v, %v
  %vi.next = add nuw i64 %vi, 4
  %vc = icmp eq i64 %vi.next, %whole
  br i1 %vc, label %middle, label %vloop
middle:
  %done = icmp eq i64 %whole, %n
  br i1 %done, label %end, label %scalar
scalar:
  %start = phi i64 [ 0, %entry ], [ %whole, %middle ]
  br label %loop
loop:
  %i = phi i64 [ %start, %scalar ], [ %i.next, %loop ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %end, label %loop
end:
  ret void
}

; for (i < n) by fours and its rest of r = n % 4 first: where r is 0 the rest is skipped and i stays 0, which is r as well; so
; the loop after it starts at r, and runs (n - r)/4 = ⌊n/4⌋ times.
; CHECK-LABEL: counts of unrolled
; CHECK: loop i1: entries [-1+n-4*floor(n,4)], last -1+n-4*floor(n,4)
; CHECK: loop i1_2: entries [-4+n], last -1+floor(n,4)
; CHECK: total flops_f64 = n·[n > 4·⌊n/4⌋] + 4·⌊n/4⌋·[n ≥ 4] - 4·⌊n/4⌋·[n > 4·⌊n/4⌋]{{$}}
define void @unrolled(i64 range(i64 1, 1073741824) %n, double %d) {
entry:
  %r = and i64 %n, 3
  %none = icmp eq i64 %r, 0
  br i1 %none, label %guard, label %rest
rest:
  %ri = phi i64 [ 0, %entry ], [ %ri.next, %rest ]
  %x = fadd double %d, %d
  %ri.next = add nuw nsw i64 %ri, 1
  %rc = icmp eq i64 %ri.next, %r
  br i1 %rc, label %guard, label %rest
guard:
  %start = phi i64 [ 0, %entry ], [ %ri.next, %rest ]
  %few = icmp ult i64 %n, 4
  br i1 %few, label %end, label %main
main:
  %i = phi i64 [ %start, %guard ], [ %i.next, %main ]
  %x0 = fadd double %d, %d
  %x1 = fadd double %d, %d
  %x2 = fadd double %d, %d
  %x3 = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 4
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %end, label %main
end:
  ret void
}

; A rest of 3 - i % 4, whose comparison the optimizer has flipped: (i & 3) ^ k == 3. The sum of 3 - i % 4 over 0 ≤ i < 8 where it
; is not 0: 2·(3 + 2 + 1) = 12 flops.
; CHECK-LABEL: counts of flipped
; CHECK: total flops_f64 = 12{{$}}
define void @flipped(double %d) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %bits = and i64 %i, 3
  %none = icmp eq i64 %bits, 3
  br i1 %none, label %latch, label %rest
rest:
  %k = phi i64 [ 0, %outer ], [ %k.next, %rest ]
  %x = fadd double %d, %d
  %k.next = add i64 %k, 1
  %flip = xor i64 %bits, %k.next
  %rc = icmp eq i64 %flip, 3
  br i1 %rc, label %latch, label %rest
latch:
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, 8
  br i1 %c, label %end, label %outer
end:
  ret void
}

; Bounds of two objects, in both ways the check is written, and the distance of two objects. The scalar version (3 flops) is
; not run, the vector version (8) is: 8 in each.
; CHECK-LABEL: counts of overlapping
; CHECK: total flops_f64 = 8{{$}}
; CHECK: assumed: the objects that the loop's pointers lead to do not overlap
define void @overlapping(ptr %a, ptr %b, <8 x double> %v, double %d) {
entry:
  %a.end = getelementptr i8, ptr %a, i64 64
  %b.end = getelementptr i8, ptr %b, i64 64
  %l = icmp ult ptr %a, %b.end
  %r = icmp ult ptr %b, %a.end
  %overlap = and i1 %l, %r
  br i1 %overlap, label %scalar, label %vector
vector:
  %s = fadd <8 x double> %v, %v
  br label %end
scalar:
  %i = phi i64 [ 0, %entry ], [ %i.next, %scalar ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, 3
  br i1 %c, label %end, label %scalar, !llvm.loop !10
end:
  ret void
}

; CHECK-LABEL: counts of apart
; CHECK: total flops_f64 = 8{{$}}
; CHECK: assumed: the objects
define void @apart(ptr %a, ptr %b, <8 x double> %v, double %d) {
entry:
  %a.end = getelementptr i8, ptr %a, i64 64
  %b.end = getelementptr i8, ptr %b, i64 64
  %l = icmp uge ptr %a, %b.end
  %r = icmp ule ptr %a.end, %b
  %apart = or i1 %l, %r
  br i1 %apart, label %vector, label %scalar
vector:
  %s = fadd <8 x double> %v, %v
  br label %end
scalar:
  %i = phi i64 [ 0, %entry ], [ %i.next, %scalar ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, 3
  br i1 %c, label %end, label %scalar, !llvm.loop !10
end:
  ret void
}

; CHECK-LABEL: counts of distant
; CHECK: total flops_f64 = 8{{$}}
; CHECK: assumed: the objects
define void @distant(ptr %a, ptr %b, <8 x double> %v, double %d) {
entry:
  %ai = ptrtoint ptr %a to i64
  %bi = ptrtoint ptr %b to i64
  %distance = sub i64 %bi, %ai
  %near = icmp ult i64 %distance, 64
  br i1 %near, label %scalar, label %vector
vector:
  %s = fadd <8 x double> %v, %v
  br label %end
scalar:
  %i = phi i64 [ 0, %entry ], [ %i.next, %scalar ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, 3
  br i1 %c, label %end, label %scalar, !llvm.loop !10
end:
  ret void
}

; Two parts of one object are no assumption: bytes 0 to 63 and 32 to 95 overlap, so the scalar version runs.
; CHECK-LABEL: counts of one
; CHECK: total flops_f64 = 3{{$}}
; CHECK-NOT: assumed
define void @one(ptr %a, <8 x double> %v, double %d) {
entry:
  %b = getelementptr i8, ptr %a, i64 32
  %a.end = getelementptr i8, ptr %a, i64 64
  %b.end = getelementptr i8, ptr %b, i64 64
  %l = icmp ult ptr %a, %b.end
  %r = icmp ult ptr %b, %a.end
  %overlap = and i1 %l, %r
  br i1 %overlap, label %scalar, label %vector
vector:
  %s = fadd <8 x double> %v, %v
  br label %end
scalar:
  %i = phi i64 [ 0, %entry ], [ %i.next, %scalar ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, 3
  br i1 %c, label %end, label %scalar, !llvm.loop !10
end:
  ret void
}

; What is asked in a loop of one object's rows: whether (n + 1)·(i + 1) is below n·(i + 1), which no i from zero on says.
; CHECK-LABEL: counts of rows
; CHECK: loop i1: entries 1, last -1+n
; CHECK-NEXT: runs 1: flops_f64=8
; CHECK-NOT: flops_f64=1
; CHECK: total flops_f64 = 8·n·{{\[n ≥ 1\]$}}
define void @rows(ptr %a, i64 range(i64 1, 1073741824) %n, <8 x double> %v, double %d) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %i.next = add nuw nsw i64 %i, 1
  %ended = mul i64 %i.next, %n
  %started = add i64 %ended, %i.next
  %a.end = getelementptr double, ptr %a, i64 %ended
  %a.start = getelementptr double, ptr %a, i64 %started
  %overlap = icmp ult ptr %a.start, %a.end
  br i1 %overlap, label %scalar, label %vector
vector:
  %s = fadd <8 x double> %v, %v
  br label %latch
scalar:
  %x = fadd double %d, %d
  br label %latch
latch:
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %end, label %outer
end:
  ret void
}

; Where the rest begins, n - n % 4 + 3, is at times written n | 3.
; CHECK-LABEL: counts of last
; CHECK: total flops_f64 = 4·⌊n/4⌋·[n ≥ 0] + 3·[n ≥ 0]{{$}}
define void @last(i64 range(i64 0, 1073741824) %n, double %d) {
entry:
  %end.at = or i64 %n, 3
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, %end.at
  br i1 %c, label %end, label %loop
end:
  ret void
}

; Without a loop that the vectorizer has been at, such a comparison is the program's own, and a matter of the addresses.
; CHECK-LABEL: counts of own
; CHECK: total flops_f64 = [b ≥ a - 63]·[a ≥ b - 63]
; CHECK-NOT: assumed
define void @own(ptr %a, ptr %b, double %d) {
entry:
  %a.end = getelementptr i8, ptr %a, i64 64
  %b.end = getelementptr i8, ptr %b, i64 64
  %l = icmp ult ptr %a, %b.end
  %r = icmp ult ptr %b, %a.end
  %overlap = and i1 %l, %r
  br i1 %overlap, label %scalar, label %end
scalar:
  %x = fadd double %d, %d
  br label %end
end:
  ret void
}

; -8 < x as unsigned numbers holds for -7 to -1: of i - 12 for i = 5 to 11, so 7 times of 20.
; CHECK-LABEL: counts of wrapped
; CHECK: total flops_f64 = 7{{$}}
define void @wrapped(double %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %less = add nsw i64 %i, -12
  %near = icmp ugt i64 %less, -8
  br i1 %near, label %then, label %latch
then:
  %x = fadd double %d, %d
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, 20
  br i1 %c, label %end, label %loop
end:
  ret void
}

; x = i + 1 of 3 bits: SCEV adds after it has cut off. x & 7 is 0 for i = 7 and 15 alone, so 2 of 16 times.
; CHECK-LABEL: counts of narrow
; CHECK: total flops_f64 = 2{{$}}
define void @narrow(double %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %x = add nuw nsw i64 %i, 1
  %low = and i64 %x, 7
  %none = icmp eq i64 %low, 0
  br i1 %none, label %then, label %latch
then:
  %f = fadd double %d, %d
  br label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, 16
  br i1 %c, label %end, label %loop
end:
  ret void
}

; m = (n - 1)/8 + 1, and m & 7: SCEV cuts the quotient to 3 bits before it adds 1, which may make 8 of 7.
; CHECK-LABEL: counts of quotient
; m = ⌊(n + 7)/8⌋ is a multiple of 8 where n ≤ 64·⌊(n + 7)/64⌋.
; CHECK: total flops_f64 = [64·⌊(n + 7)/64⌋ ≥ n]{{$}}
define void @quotient(i32 %n, double %d) {
entry:
  %wide = zext i32 %n to i64
  %less = add nsw i64 %wide, -1
  %eighth = lshr i64 %less, 3
  %m = add nuw nsw i64 %eighth, 1
  %low = and i64 %m, 7
  %none = icmp eq i64 %low, 0
  br i1 %none, label %then, label %end
then:
  %f = fadd double %d, %d
  br label %end
end:
  ret void
}

!10 = distinct !{!10, !11}
!11 = !{!"llvm.loop.isvectorized", i32 1}
