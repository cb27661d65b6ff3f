"""Writes IR of a function with N ways out, each on another value of memory: if (p[k] == 0) return."""
import sys

count = int(sys.argv[1])
print('target triple = "x86_64-pc-linux-gnu"')
print("define void @early(ptr %p, double %d) {")
for k in range(count):
    print(f"b{k}:")
    print(f"  %a{k} = getelementptr double, ptr %p, i64 {k}")
    print(f"  %v{k} = load double, ptr %a{k}")
    print(f"  %x{k} = fadd double %d, %d")
    print(f"  %c{k} = fcmp oeq double %v{k}, 0.0")
    print(f"  br i1 %c{k}, label %out, label %b{k + 1}")
print(f"b{count}:\n  br label %out\nout:\n  ret void\n}}")
