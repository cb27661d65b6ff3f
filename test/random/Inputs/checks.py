"""Checks of what the random search rests on: values of formulas, verdicts, and that it finds a count that is wrong.

checks.py SOURCE_TREE; prints one line for each check that fails, and exits 1.
"""
import importlib.util
import pathlib
import sys
import types

root = pathlib.Path(sys.argv[1])
spec = importlib.util.spec_from_file_location("search", root / "bench" / "random_programs.py")
search = importlib.util.module_from_spec(spec)
spec.loader.exec_module(search)
from formula_value import NoValue, compiled, symbols  # noqa: E402  (search has put its folder on the path)
import generated_programs  # noqa: E402

failed = 0


def check(what, found, expected):
    global failed
    if found != expected:
        print(f"{what}: {found!r}, expected {expected!r}")
        failed += 1


def value(text, **values):
    try:
        return compiled(text)(values)
    except NoValue as why:
        return str(why)


# By hand.
check("powers, fractions", value("2*n^3-1/2*n", n=5), 247.5)
check("floors go down", value("floor(n,4)", n=-1), -1)
check("conditions", value("n*[n-3]+7*[-n]", n=3), 3)
check("a condition that is not met spares the division", value("[-1]*floor(n,m)", n=3, m=0), 0)
check("division by zero", value("floor(n,m)", n=3, m=0), "division by zero")
check("sum over 0 to 3 of i², from 2 on", value("sum(i,0,n,i^2*[i-2])", n=3), 13)
check("a sum without terms", value("sum(i,0,n,i)", n=-1), 0)
check("⌊log2 9⌋, ⌊log2 0⌋, 2³", [value("log(2,n)", n=9), value("log(2,n)", n=0), value("pow(2,n)", n=3)], [3, -1, 8])
check("max, min", value("max(n,m,1)-min(n,m)", n=-2, m=4), 6)
check("no value", value("n+`taken@a.c:3`", n=1), "taken@a.c:3")
check("symbols, without those of sums", symbols("sum(i,0,n,i*`taken@a.c:3`)"), {"n", "taken@a.c:3"})

# The same words, the same program; other words, another one.
first, again = (generated_programs.generate("guards", 7, "f").text() for _ in range(2))
check("deterministic", first == again and first != generated_programs.generate("guards", 8, "f").text(), True)


def verdict(formula, known, ran, how=0, **more):
    """Of void f(int n) that runs two stores of a byte each for every unit of n."""
    program = types.SimpleNamespace(name="f", category="guards", parameters=[("int", "n")], passed="parameters", is_kernel=False)
    batch = types.SimpleNamespace(level="-O2", is_device=False, options=types.SimpleNamespace(patience=False),
                                  classes=lambda: ["stores_memory", "store_bytes_memory"], names=lambda program, shown: ["n"],
                                  predicted=lambda program, names, row: more.get("predicted"))
    shown = {"counts": {"stores_memory": formula, "store_bytes_memory": formula}, "known": dict.fromkeys(("stores_memory", "store_bytes_memory"), known),
             "open_calls": {}, "params": []}
    found = search.judge(batch, program, [[4]], shown, [(how, ran, ran)], **more.get("options", {"confirm": 0}))
    return found.status, len(found.wrong), len(found.overrun), found.declined


exact = dict.fromkeys(("stores_memory", "store_bytes_memory"), "exact")
assumed = dict.fromkeys(exact, "assumed")
check("right", verdict("2*n", "exact", 8), ("exact", 0, 0, 0))
check("wrong", verdict("2*n", "exact", 7), ("exact", 1, 0, 0))
check("wrong, and not called exact", verdict("2*n", "assumed", 7), ("assumed", 0, 0, 0))
check("rests on an unknown", verdict("2*n*`taken@a.c:3`", "exact", 7), ("unknown", 0, 0, 0))
check("undefined", verdict("2*n", "exact", 7, how=2), ("exact", 0, 0, 0))
check("without an end", verdict("2*n", "exact", 7, how=3), ("exact", 0, 0, 0))
check("longer than the limit", verdict("2*n", "exact", 7, how=1), ("exact", 0, 0, 0))
check("more than predicted before the limit", verdict("2*n", "exact", 9, how=1), ("exact", 0, 1, 0))
check("predict says so too", verdict("2*n", "exact", 7, predicted=({"stores_memory": 8, "store_bytes_memory": 8}, exact), options={}), ("exact", 1, 0, 0))
check("predict calls it assumed", verdict("2*n", "exact", 7, predicted=({"stores_memory": 8, "store_bytes_memory": 8}, assumed), options={}),
      ("exact", 0, 0, 1))
check("predict alone is wrong", verdict("2*n", "exact", 8, predicted=({"stores_memory": 7, "store_bytes_memory": 8}, exact), options={"sampled": True}),
      ("exact", 1, 0, 0))
sys.exit(bool(failed))
