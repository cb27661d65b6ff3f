"""check_cases.py ERGON PROGRAM RECORDS CASES [NUMBER...]: runs each case and predicts it.

The flops are equal; those of the cases that are named are said to be estimated. Those of a case that is named `7=` are
equal all the same.
"""
import json
import re
import subprocess
import sys
ergon, program, records, cases, *unknown = sys.argv[1:]
numbers = re.findall(r"^(\d+): ", open(cases).read(), re.MULTILINE)
assert len(numbers) > 20
for number in numbers:
    executed = int(subprocess.run([program, number, "data.txt"], check=True, capture_output=True, text=True).stdout)
    document = json.loads(subprocess.run([ergon, "predict", records, "--args", f"{number} data.txt", "--json"],
                                         check=True, capture_output=True, text=True).stdout)
    estimated = document["known"]["flops_f64"] == "estimated"
    are_equal = number + "=" in unknown
    assert estimated == (number in unknown or are_equal), (number, "estimated" if estimated else "known")
    assert estimated and not are_equal or document["counts"]["flops_f64"] == executed > 0, (number, document["counts"], executed)
