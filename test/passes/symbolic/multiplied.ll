; Loops that multiply or divide their variable. Each body has one flop, so flops are iterations.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; for (i = 1; i < n; i *= 2): 2^k < n for k up to log2(n - 1).
; CHECK-LABEL: counts of doubled
; CHECK: total flops_f64 = [n ≥ 2]·⌊log₂ (n - 1)⌋ + [n ≥ 2]{{$}}
define void @doubled(i64 %n, double %d) {
entry:
  br label %head
head:
  %i = phi i64 [ 1, %entry ], [ %next, %body ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %body, label %end
body:
  %x = fadd double %d, %d
  %next = mul nsw i64 %i, 2
  br label %head
end:
  ret void
}

; The same behind a guard, tested at the bottom: one more than the doublings after which 2·2^k < n, which is
; log2((n - 1)/2) + 1 = log2(n - 1) where n is 2 or more.
; CHECK-LABEL: counts of rotated
; CHECK: total flops_f64 = [n ≥ 2]·⌊log₂ (n - 1)⌋ + [n ≥ 2]{{$}}
define void @rotated(i32 %n, double %d) {
entry:
  %g = icmp sgt i32 %n, 1
  br i1 %g, label %loop, label %end
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  %x = fadd double %d, %d
  %next = shl nsw i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; for (s = n; s > 0; s >>= 1) for (j = 0; j < s; j++) of unsigned numbers: n + n/2 + n/4 + ….
; CHECK-LABEL: counts of halved
; CHECK: total flops_f64 = Σ_{i1=0}^{⌊log₂ n⌋ + 1} ⌊n/2^i1⌋·[⌊log₂ n⌋ ≥ i1]·[n ≥ 2^i1]{{$}}
define void @halved(i32 zeroext %n, double %d) {
entry:
  br label %head
head:
  %s = phi i32 [ %n, %entry ], [ %half, %latch ]
  %c = icmp ugt i32 %s, 0
  br i1 %c, label %inner, label %end
inner:
  %j = phi i32 [ 0, %head ], [ %j.next, %inner ]
  %x = fadd double %d, %d
  %j.next = add nuw i32 %j, 1
  %more = icmp ult i32 %j.next, %s
  br i1 %more, label %inner, label %latch
latch:
  %half = lshr i32 %s, 1
  br label %head
end:
  ret void
}

; for (i = 1; i < n; i *= 2) for (j = 0; j < i; j++): 1 + 2 + … + 2^K = 2·2^K - 1 for K = log2(n - 1), where n is 2 or more.
; CHECK-LABEL: counts of geometric
; CHECK: total flops_f64 = 2·[n ≥ 2]·2^⌊log₂ (n - 1)⌋ - [n ≥ 2]{{$}}
define void @geometric(i32 %n, double %d) {
entry:
  br label %head
head:
  %i = phi i32 [ 1, %entry ], [ %twice, %latch ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %inner, label %end
inner:
  %j = phi i32 [ 0, %head ], [ %j.next, %inner ]
  %x = fadd double %d, %d
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j.next, %i
  br i1 %more, label %inner, label %latch
latch:
  %twice = add nsw i32 %i, %i
  br label %head
end:
  ret void
}

; A heap's way up, while (i > 0) i = (i - 1) / 2: i + 1 is halved, and above 1 as long as i is above 0.
; CHECK-LABEL: counts of parents
; CHECK: total flops_f64 = [n ≥ 1]·⌊log₂ ⌊(n + 1)/2⌋⌋ + [n ≥ 1]{{$}}
define void @parents(i64 %n, double %d) {
entry:
  br label %head
head:
  %i = phi i64 [ %n, %entry ], [ %up, %body ]
  %c = icmp sgt i64 %i, 0
  br i1 %c, label %body, label %end
body:
  %x = fadd double %d, %d
  %less = add nsw i64 %i, -1
  %up = sdiv i64 %less, 2
  br label %head
end:
  ret void
}

; What a loop leaves behind: p is the first power of 2 that is not below n, and a second loop runs p times.
; The doublings are log2(n - 1) + 1, so p = 2·2^log2(n - 1), 1 for n = 1.
; CHECK-LABEL: counts of left_behind
; CHECK: loop i1_2: entries 1, last -1+2*pow(2,log(2,-1+n))
define void @left_behind(i64 %n, double %d) {
entry:
  br label %head
head:
  %p = phi i64 [ 1, %entry ], [ %next, %body ]
  %c = icmp slt i64 %p, %n
  br i1 %c, label %body, label %second
body:
  %next = mul nsw i64 %p, 2
  br label %head
second:
  br label %loop
loop:
  %j = phi i64 [ 0, %second ], [ %j.next, %loop ]
  %x = fadd double %d, %d
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ne i64 %j.next, %p
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A signed number that may be negative rounds toward zero: no formula where its sign is not known.
; CHECK-LABEL: counts of unknown_sign
; CHECK: trips@unknown_sign
define void @unknown_sign(i32 %n, double %d) {
entry:
  br label %head
head:
  %s = phi i32 [ %n, %entry ], [ %half, %body ]
  %c = icmp ne i32 %s, 0
  br i1 %c, label %body, label %end
body:
  %x = fadd double %d, %d
  %half = sdiv i32 %s, 2
  br label %head
end:
  ret void
}

; for (s = 1; s < 8; s *= 2) { if ((i & (2·s - 1)) == 0) 1 flop; if (i & s) 1 flop of f32; x = i ^ s; if (x > i) one of f16 }
; With s = 2^i2: where i is 2s·⌊i/2s⌋; where its bit, s·(⌊i/s⌋ - 2·⌊i/2s⌋), is at least 1; and where s - 2·bit is.
; CHECK-LABEL: counts of masks
; CHECK: runs [-i1+2*floor(i1,2*pow(2,i2))*pow(2,i2)]: flops_f64=1
; CHECK: runs [-1+floor(i1,pow(2,i2))*pow(2,i2)-2*floor(i1,2*pow(2,i2))*pow(2,i2)]: flops_f32=1
; CHECK: runs [-1-2*floor(i1,pow(2,i2))*pow(2,i2)+4*floor(i1,2*pow(2,i2))*pow(2,i2)+pow(2,i2)]: flops_f16=1
define void @masks(double %d, float %f, half %h) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %loop
loop:
  %s = phi i32 [ 1, %outer ], [ %s.next, %latch ]
  %s.next = shl nuw nsw i32 %s, 1
  %mask = add nsw i32 %s.next, -1
  %low = and i32 %i, %mask
  %c1 = icmp eq i32 %low, 0
  br i1 %c1, label %one, label %next
one:
  %x = fadd double %d, %d
  br label %next
next:
  %bit = and i32 %i, %s
  %c2 = icmp ne i32 %bit, 0
  br i1 %c2, label %two, label %third
two:
  %y = fadd float %f, %f
  br label %third
third:
  %partner = xor i32 %i, %s
  %c3 = icmp sgt i32 %partner, %i
  br i1 %c3, label %three, label %latch
three:
  %z = fadd half %h, %h
  br label %latch
latch:
  %more = icmp slt i32 %s.next, 8
  br i1 %more, label %loop, label %outer.latch
outer.latch:
  %i.next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %i.next, 8
  br i1 %again, label %outer, label %end
end:
  ret void
}

; for (s = 1; s < n; s *= 32) 1 flop: a large factor, but s is at its limit before it wraps around.
; CHECK-LABEL: counts of large_factor
; CHECK: total flops_f64 = [n ≥ 2]·⌊log₃₂ (n - 1)⌋ + [n ≥ 2]{{$}}
define void @large_factor(i32 %n, double %d) {
entry:
  br label %head
head:
  %s = phi i32 [ 1, %entry ], [ %next, %body ]
  %c = icmp slt i32 %s, %n
  br i1 %c, label %body, label %end
body:
  %x = fadd double %d, %d
  %next = mul nsw i32 %s, 32
  br label %head
end:
  ret void
}
