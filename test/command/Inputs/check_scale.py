"""Checks `ergon scale --app ft --machine systemg -p 1,2,64 -n 33554432 --keep-ee 0.8 --json`."""
import json
import math
import sys

d = json.load(open(sys.argv[1]))
assert d["schema"] == "ergon-scale/1" and d["application"] == "ft" and d["machine"] == "systemg"
assert d["overlap"] == 0.86 and d["in_steps"] is False
assert d["terms"]["computation_s"]["value"] == 6.41e-10 and d["terms"]["computation_s"]["exponent"] == -1
assert {each["from"] for each in d["terms"].values()} == {"ft"}
assert {"term": "computation_overhead", "formula": "4.46e2*n*log2(p)"}.items() <= d["work"][2].items()
assert [(each["p"], each["n"], each["core_mhz"]) for each in d["points"]] == [
    (1, 33554432, 2800), (2, 33554432, 2800), (64, 33554432, 2800)]
for each in d["points"]:
    # The definitions: eq. 1 and 2, and E_o in its parts.
    overhead = each["energy_p_j"] - each["energy_1_j"]
    assert math.isclose(each["eef"], overhead / each["energy_1_j"], abs_tol=1e-12)
    assert math.isclose(each["ee"], each["energy_1_j"] / each["energy_p_j"])
    assert math.isclose(each["power_w"], each["energy_p_j"] / each["time_p_s"])
    parts = [part for name, part in each["overhead_j"].items() if name != "total"]
    assert math.isclose(sum(part["active"] + part["idle"] for part in parts), overhead, abs_tol=1e-9)
    assert set(each["elasticity"]) == {"p", "n", "core_mhz"}
assert d["points"][0]["eef"] == 0
assert d["points"][1]["dominant"] == "p" and d["points"][1]["dominant_overhead"] == "network"
# By the printed closed form, whose coefficients are good to 1 %.
f, n, p = 2.8, 33554432, 64
closed = (6.87 * 6 - 1.75 * f * 6 + p * (p - 1) * f * (11500 / n + 0.376 / 4**4)) / (163 + 22.7 * f)
assert math.isclose(d["points"][2]["eef"], closed, rel_tol=0.01), closed
over_p, *over_n = d["keep_ee"]["kept"]
assert d["keep_ee"]["ee"] == 0.8 and over_p["n"] == n and [each["p"] for each in over_n] == [1, 2, 64]
[kept] = over_p["keeping_p"]
assert kept["first"] == 1 and kept["end"] == "below"


def ee(p):
    log = math.log2(p)
    return 1 / (1 + (6.87 * log - 1.75 * f * log + p * (p - 1) * f * (11500 / n + 0.376 / 4**(log - 2))) / (163 + 22.7 * f))


assert ee(kept["last"] * 0.99) > 0.8 > ee(kept["last"] * 1.01)
assert all(each["keeping_n"][-1]["end"] == "searched" for each in over_n)
assert any("163 + 227f" in note for note in d["notes"])
