"""Checks an answer to `lines`: check_lines.py LINES PREDICTION [--line NUMBER KEY=VALUE…]…

Energies of lines and rest add up to the prediction's; each line named has these values."""

import json
import math
import sys

lines = json.load(open(sys.argv[1], encoding="utf-8"))
predicted = json.load(open(sys.argv[2], encoding="utf-8"))
rows = {row["line"]: row for file in lines["files"] for row in file["rows"]}

found = sum(row["energy_j"] for row in rows.values()) + sum(rest["energy_j"] for rest in lines["rest"])
energy = predicted["energy_j"]["value"]
if not energy > 0 or not math.isclose(found, energy, rel_tol=1e-9):
    sys.exit(f"lines and rest are {found} J, the prediction {energy} J")
if not sum(row["energy_j"] for row in rows.values()) > 0:
    sys.exit("no line has any energy")
# All flops have a line, so that their joules are in the rows alone.
flops = sum(row["flops"] for row in rows.values())
counted = sum(value for key, value in predicted["counts"].items() if key.startswith("flops_"))
if flops != counted:
    sys.exit(f"the lines have {flops} flops, the prediction {counted}")
constant = [rest["energy_j"] for rest in lines["rest"] if rest["what"] == "constant power"]
if constant != [predicted["breakdown_j"]["constant"]]:
    sys.exit(f"constant power is {constant}")

number = None
for word in sys.argv[3:]:
    if word == "--line":
        number = None
    elif number is None:
        number = int(word)
    else:
        key, _, value = word.partition("=")
        have = rows.get(number, {}).get(key, 0 if key == "flops" else None)
        if str(have) != value and not (isinstance(have, (int, float)) and have == float(value)):
            sys.exit(f"line {number}: {key} is {have}, not {value}")
