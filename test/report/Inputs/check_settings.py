"""Checks an answer to `settings`: each point against a prediction, and the front against all pairs."""

import json
import subprocess
import sys

points = json.load(open(sys.argv[1], encoding="utf-8"))["points"]
assert len(points) > 5, points
for point in points[::5]:
    clocks = {key: point[key] for key in ("core_mhz", "mem_mhz") if key in point}
    request = {"do": "predict", "function": 0, "set": {"n": "100"}, "machine": "jetson-tk1", "setting": clocks}
    document = json.loads(subprocess.run([sys.argv[2], sys.argv[3], json.dumps(request)], capture_output=True).stdout)
    assert document["energy_j"]["value"] == point["energy_j"], (point, document["energy_j"])
    assert document["time_s"]["value"] == point["time_s"], (point, document["time_s"])
for one in points:
    beaten = any(other["time_s"] <= one["time_s"] and other["energy_j"] <= one["energy_j"]
                 and (other["time_s"], other["energy_j"]) != (one["time_s"], one["energy_j"]) for other in points)
    assert one["pareto"] == (not beaten), one
assert any(each["pareto"] for each in points)
