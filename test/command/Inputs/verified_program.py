"""Gives `ergon verify` a value for an unknown that the run counts too: verified_program.py FILE COMMAND…, FILE has the unknown's name."""

import json
import subprocess
import sys

command = sys.argv[2:]
at = command.index("--json")
unknown = open(sys.argv[1]).read().strip()


def run(*more):
    done = subprocess.run([*command[:at], *more, *command[at:]], capture_output=True, text=True)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


found = run("--set", f"{unknown}=4000")
assert found["schema"] == "ergon-program-verification/1" and found["from_run"] == [] and found["unbound"] == [], found
predicted, measured = found["predicted"], found["measured"]
assert (predicted["counts"]["flops_f64"], measured["counts"]["flops_f64"]) == (4000, 3000), found
assert (measured["times"], measured["threads"], measured["energy"]) == (20, 1, []), found
assert abs(found["time_ratio"] - predicted["time_s"]["value"] / measured["time_s"]) < 1e-9, found
# Nothing given: the run's own.
alone = run()
assert alone["from_run"] == [unknown] and alone["predicted"]["counts"] == alone["measured"]["counts"], alone
ten = run("--calls", "10")
assert abs(ten["predicted"]["time_s"]["value"] / alone["predicted"]["time_s"]["value"] - 10) < 1e-9, ten
print("sane")
