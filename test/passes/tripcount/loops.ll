; Loops whose trip count is a formula. Each body has one flop, so flops are iterations.
; RUN: %opt -passes='print<ergon-counts>' -disable-output %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

; for (i = 0; i < n; i++) behind a guard: n iterations.
; CHECK-LABEL: counts of simple
; CHECK: total flops_f64 = n·[n ≥ 1]{{$}}
define void @simple(i64 %n, double %d) {
entry:
  %g = icmp sgt i64 %n, 0
  br i1 %g, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %i.next, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; do … while (++i < n): at least once, so max(1, n).
; CHECK-LABEL: counts of do_while
; CHECK: total flops_f64 = max(1, n){{$}}
define void @do_while(i64 %n, double %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %i.next, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; for (i = 0; i < n; i++) as the front end writes it, left at the top: the body runs n times, the header n + 1
; times for n > 0 and once for others: max(0, n) + 1 branches.
; CHECK-LABEL: counts of top_tested
; CHECK: total flops_f64 = n·[n ≥ 1]{{$}}
; CHECK: total branches = max(0, n) + 1{{$}}
define void @top_tested(i64 %n, double %d) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %body ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %body, label %end
body:
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  br label %head
end:
  ret void
}

; for (i = 0; i < n; i++) for (j = i; j < n; j++): n + (n-1) + … + 1 = (n² + n)/2.
; CHECK-LABEL: counts of triangular
; CHECK: total flops_f64 = (n²·[n ≥ 1] + n·[n ≥ 1])/2{{$}}
define void @triangular(i64 %n, double %d) {
entry:
  %g = icmp sgt i64 %n, 0
  br i1 %g, label %outer, label %end
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ %i, %outer ], [ %j.next, %inner ]
  %x = fadd double %d, %d
  %j.next = add nuw nsw i64 %j, 1
  %c = icmp slt i64 %j.next, %n
  br i1 %c, label %inner, label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %e = icmp slt i64 %i.next, %n
  br i1 %e, label %outer, label %end
end:
  ret void
}

; Three deep, 0 ≤ k < j < i < n: n over 3 = (n³ - 3·n² + 2·n)/6, at n = 2 and below nothing.
; CHECK-LABEL: counts of tetrahedron
; CHECK: total flops_f64 = (n³·[n ≥ 3] - 3·n²·[n ≥ 3] + 2·n·[n ≥ 3])/6{{$}}
define void @tetrahedron(i64 %n, double %d) {
entry:
  br label %hi
hi:
  %i = phi i64 [ 0, %entry ], [ %i.next, %li ]
  %ci = icmp slt i64 %i, %n
  br i1 %ci, label %hj, label %end
hj:
  %j = phi i64 [ 0, %hi ], [ %j.next, %lj ]
  %cj = icmp slt i64 %j, %i
  br i1 %cj, label %hk, label %li
hk:
  %k = phi i64 [ 0, %hj ], [ %k.next, %body ]
  %ck = icmp slt i64 %k, %j
  br i1 %ck, label %body, label %lj
body:
  %x = fadd double %d, %d
  %k.next = add nuw nsw i64 %k, 1
  br label %hk
lj:
  %j.next = add nuw nsw i64 %j, 1
  br label %hj
li:
  %i.next = add nuw nsw i64 %i, 1
  br label %hi
end:
  ret void
}

; for (i = n - 1; i >= 0; i--): n.
; CHECK-LABEL: counts of down
; CHECK: total flops_f64 = n·[n ≥ 1]{{$}}
define void @down(i64 %n, double %d) {
entry:
  %g = icmp sgt i64 %n, 0
  br i1 %g, label %loop, label %end
loop:
  %i = phi i64 [ %n, %entry ], [ %i.next, %loop ]
  %i.next = add nsw i64 %i, -1
  %x = fadd double %d, %d
  %c = icmp sgt i64 %i, 1
  br i1 %c, label %loop, label %end
end:
  ret void
}

; for (i = 0; i < n; i += 2): n/2 rounded up = floor((n + 1)/2).
; CHECK-LABEL: counts of step_2
; CHECK: total flops_f64 = ⌊(n + 1)/2⌋·[n ≥ 1]{{$}}
define void @step_2(i64 %n, double %d) {
entry:
  %g = icmp sgt i64 %n, 0
  br i1 %g, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 2
  %c = icmp slt i64 %i.next, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; A constant number: 17.
; CHECK-LABEL: counts of constant
; CHECK: total flops_f64 = 17{{$}}
define void @constant(double %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp ne i64 %i.next, 17
  br i1 %c, label %loop, label %end
end:
  ret void
}

; for (t = 0; t < n; t += 8) for (j = t; j < min(t + 8, n); j++): tiles with a ragged last one. Every j of 0 … n-1
; is in one tile: n.
; CHECK-LABEL: counts of tiled
; CHECK: total flops_f64 = n·[n ≥ 1]{{$}}
define void @tiled(i64 %n, double %d) {
entry:
  %g = icmp sgt i64 %n, 0
  br i1 %g, label %tile, label %end
tile:
  %t = phi i64 [ 0, %entry ], [ %t.next, %latch ]
  %t.next = add nuw nsw i64 %t, 8
  %stop = call i64 @llvm.smin.i64(i64 %t.next, i64 %n)
  br label %inner
inner:
  %j = phi i64 [ %t, %tile ], [ %j.next, %inner ]
  %x = fadd double %d, %d
  %j.next = add nuw nsw i64 %j, 1
  %c = icmp slt i64 %j.next, %stop
  br i1 %c, label %inner, label %latch
latch:
  %e = icmp slt i64 %t.next, %n
  br i1 %e, label %tile, label %end
end:
  ret void
}

; Two exits that are both formulas: left in iteration min(n, m) at the latest. Both tests are at the top: the body
; runs min(n, m) times for positive n and m.
; CHECK-LABEL: counts of two_exits
; CHECK: total flops_f64 = min(m, n)·[m ≥ 1]·[n ≥ 1]{{$}}
define void @two_exits(i64 %n, i64 %m, double %d) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %body ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %more, label %end
more:
  %e = icmp slt i64 %i, %m
  br i1 %e, label %body, label %end
body:
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  br label %head
end:
  ret void
}

; Two exits, one on data: the loop ends after n iterations at the latest; how many it takes is a symbol.
; CHECK-LABEL: counts of search
; CHECK: total loads_memory = trips@search{{$}}
; CHECK: unknown trips@search: mean iterations {{.*}} at most
define void @search(i64 %n, ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %a = getelementptr double, ptr %p, i64 %i
  %x = load double, ptr %a
  %found = fcmp oeq double %x, 0.0
  br i1 %found, label %end, label %next
next:
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %i.next, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; A list: nothing says how long it is. One load an iteration, trips@list iterations.
; CHECK-LABEL: counts of list
; CHECK: total loads_memory = trips@list{{$}}
; CHECK: unknown trips@list: mean iterations each time the loop is entered: how often the loop runs depends on data
define void @list(ptr %first) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %first, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %p
  %c = icmp eq ptr %next, null
  br i1 %c, label %end, label %loop
end:
  ret void
}

; A bound read from memory that may be anything, before the loop: a symbol for the value, and max(1, value) iterations.
; What only the caller could have written there has the parameter's name: memory-values.ll.
; CHECK-LABEL: counts of bound_in_memory
; CHECK: total flops_f64 = max(1, value@bound_in_memory){{$}}
; CHECK: unknown value@bound_in_memory: a value read from
define void @bound_in_memory(ptr %p, double %d) {
entry:
  %n = load volatile i64, ptr %p
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %i.next, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; for (i = 0; i < n; i++) { if (*p) if (3 * i >= m) break; … }: the second exit is tested only where data says so, so its
; count is none of the loop's.
; CHECK-LABEL: counts of exitNowAndThen
; CHECK: unknown trips@exitNowAndThen
define void @exitNowAndThen(i64 %n, i64 %m, ptr %p, double %d) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %body, label %end
body:
  %v = load volatile i1, ptr %p
  br i1 %v, label %test, label %latch
test:
  %t = mul i64 %i, 3
  %e = icmp sge i64 %t, %m
  br i1 %e, label %end, label %latch
latch:
  %x = fadd double %d, %d
  %i.next = add nuw nsw i64 %i, 1
  br label %head
end:
  ret void
}
