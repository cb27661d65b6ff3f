"""Does a page's sums: arithmetic.py PAGE.md. Each line of a block ```arithmetic is `expression = number unit`, in SI units on the left; what it says on the right has to be that, to its last digit."""
import math
import pathlib
import re
import sys

page = sys.argv[1]
PREFIXES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9}
text = pathlib.Path(page).read_text()
done = 0
for block in re.finditer(r"```arithmetic\n(.*?)```", text, re.S):
    for line in block[1].splitlines():
        sum_, _, says = line.rpartition(" = ")
        number, mantissa, prefix = re.fullmatch(r"(([0-9.]+)(?:e-?[0-9]+)?)(?: ([pnµmkMG]?)(?:s|J|W|B|V|flop))?", says).groups()
        # Names and attributes are none but these functions.
        expression = sum_.replace("·", "*").replace("²", "**2")
        unknown = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"[0-9.]+e-?[0-9]+", "", expression))) - {"sqrt", "ceil", "max"}
        assert not unknown, f"{page}: {line}: what is {unknown}?"
        is_ = eval(expression, {"__builtins__": {}}, {"sqrt": math.sqrt, "ceil": math.ceil, "max": max}) / PREFIXES[prefix or ""]
        digits = len(mantissa.partition(".")[2])
        place = 0.5 * 10 ** (math.floor(math.log10(float(number) / float(mantissa))) - digits if "e" in number else -digits)
        done += 1
        if abs(is_ - float(number)) > place * (1 + 1e-9):
            sys.exit(f"{page}:{text[:block.start()].count(chr(10)) + 2}: {line}, but it is {is_:.8g}")
print(done, "sums")
