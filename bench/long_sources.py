"""C sources of one kind of code, as long as asked for: what makes a compiler's time grow.

SHAPES: by name, a function from a number of repetitions to the text, and the number that a benchmark
starts with."""


def function(lines, head="int f(int *a, int *b, int n, int m) { int r = 0;", last="return r;"):
    return "\n".join([head, *lines, last, "}"]) + "\n"


def times(count, line):
    """line for 0, 1, …; {i} is the number, {j}, {k} and {l} are others that hang on it."""
    return [line.format(i=i, j=i % 61, k=i * 7 % 101, l=i + 1) for i in range(count)]


def statements(count):
    return function(times(count, "x = x * {i} + y; y ^= x >> 3; a[{j}] = b[{k}] + x; r += a[{k}];"),
                    "int f(int *a, int *b, int n) { int r = 0, x = n, y = n;")


def struct_members(count):
    return "struct s { int m[101]; int *p; } s, *t;\n" + function(
        times(count, "s.m[{j}] = t->m[{k}] * n + s.p[{j}]; t->p[{k}] = s.m[{j}];"))


def loop_pairs(count):
    return function(times(count, "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] += b[j] * {i};"))


def loops(count):
    return function(times(count, "for (int i = 0; i < n; i++) if (a[i] > {i}) r += b[i];"))


def cases(count):
    return function(["switch (n) {", *times(count, "case {i}: return {k};"), "}"])


def cases_that_go_on(count):
    return function(["switch (a[n]) {", *times(count, "case {i}: r += a[{i}]; break;"), "}"])


def ifs(count):
    return function(times(count, "if (a[{i}] > n) r += {i}; else r ^= b[{j}];"))


def else_ifs(count):
    return function(["if (n == -1) r = 1;", *times(count, "else if (n == {i} * 3) r = a[{i}];")])


def early_returns(count):
    return function(times(count, "if (a[{i}] == n) return {i};"))


def breaks(count):
    return function(["for (int i = 0; i < n; i++) {", *times(count, "if (a[i] == {i}) break; r += b[{j}];"), "}"])


def nested_ifs(count):
    return function([*times(count, "if (a[{i}] > n) {{ r += {i};"), "}" * count])


def calls(count):
    return "int g(int, int *); extern int q;\n" + function(
        times(count, "r += g(n + {i}, v); q = r; v[{j}] = r;"), "int f(int n) { int v[61]; int r = 0;")


def pointers(count):
    return "struct n { struct n *l, *r; int v; };\n" + function(
        times(count, "p->l->v = q->r->v; q = q->l; r += p->r->v;"), "int f(struct n *p, struct n *q) { int r = 0;")


def variables(count):
    return function(["int v0 = n;", *times(count, "int v{l} = v{i} * {k} + n;")], last=f"return v{count};")


def globals_(count):
    return "".join(times(count, "int g{i} = {k}; static double h{i};\n")) + function(
        times(count, "g{i} += n; h{i} += g{i};"))


def functions(count):
    return "".join(times(count, "int f{i}(int *a, int n) {{ int r = 0; for (int i = 0; i < n; i++) r += a[i] * {i}; return r; }}\n"))


def tables(count):
    return "const struct {{ const char *name; int v; }} t[] = {{{}}};\nint f(int i) {{ return t[i].v; }}\n".format(
        ",".join(times(count, '{{"n{i}", {k}}}')))


SHAPES = {
    "statements": (statements, 1000), "struct_members": (struct_members, 1000), "loop_pairs": (loop_pairs, 200),
    "loops": (loops, 200), "cases": (cases, 4000), "cases_that_go_on": (cases_that_go_on, 1000), "ifs": (ifs, 1000),
    "else_ifs": (else_ifs, 500), "early_returns": (early_returns, 1000), "breaks": (breaks, 1000),
    "nested_ifs": (nested_ifs, 50), "calls": (calls, 1000), "pointers": (pointers, 1000), "variables": (variables, 2000),
    "globals": (globals_, 1000), "functions": (functions, 500), "tables": (tables, 10000),
}
