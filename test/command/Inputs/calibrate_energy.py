"""Calibrates under a meter that tells 20 W, whatever runs: calibrate_energy.py ERGON FOLDER"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

ergon, folder = sys.argv[1], pathlib.Path(sys.argv[2])
zone = folder / "powercap" / "intel-rapl:0"
zone.mkdir(parents=True)
(zone / "name").write_text("package-0\n")
(zone / "max_energy_range_uj").write_text("262143328850\n")
(zone / "energy_uj").write_text("0\n")
profile = folder / "energy.json"
samples = folder / "energy.energy.samples.csv"
# Caches as a desktop has them: those of a large server, or of a part of one, ask for gigabytes of data beyond them.
CACHES = "Package:1 L3Cache:1(size=16777216) L2Cache:1(size=1048576) L1dCache:1(size=49152) Core:1 PU:1"
environment = os.environ | {"ERGON_METERS": "powercap", "ERGON_POWERCAP_ROOT": str(folder / "powercap"),
                            "HWLOC_SYNTHETIC": CACHES}
command = [ergon, "calibrate", "--quick", "--verbose", "-o", profile, "--only", "[al]*d-f64-64-*1thread"]
over = threading.Event()
# Samples with energies are so long that another program on the same processor is in all of them.
BUSY = ("too busy", "enough good samples", "and the core runs at", "little else on the processor")


def tell():
    begin, file = time.monotonic(), os.open(zone / "energy_uj", os.O_WRONLY)
    while not over.is_set():
        os.pwrite(file, b"%020d\n" % int(20e6 * (time.monotonic() - begin)), 0)
        time.sleep(0.002)
    os.close(file)


def told(rows):
    """Watts by row, as the meter told them."""
    return [float(row[rows[0].index("energy_j")]) / float(row[rows[0].index("time_s")]) for row in rows[1:]]


thread = threading.Thread(target=tell)
thread.start()
try:
    for _ in range(3):
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        rows = [line.split(",") for line in samples.read_text().splitlines()] if samples.exists() else []
        busy = any(each in done.stdout + done.stderr for each in BUSY) or done.returncode == 0 and len(rows) <= 10
        # The thread that plays the meter came too late: a sample has other watts than it tells.
        busy |= len(rows) > 1 and any(abs(each / 20 - 1) > 0.02 for each in told(rows))
        if not busy:
            break
finally:
    over.set()
    thread.join()
if busy:
    print("the machine is too busy to tell")
    sys.exit(0)
assert done.returncode == 0, done
assert "energy by powercap/intel-rapl:0" in done.stdout and "the idle machine took" in done.stdout, done.stdout
found = json.loads(profile.read_text())
# Part of what is constant may be seen as a price of what all of these probes do.
assert 5 < found["constant_power"]["misc_w"]["value"] < 22, found["constant_power"]
assert found["fit"]["energy_error"]["value"] < 0.1, found["fit"]["energy_error"]
assert found["sources"]["energy"]["kind"] == "fitted" and "idle machine took" in found["sources"]["energy"]["derivation"]
loads = {each["level"]: each["bytes_per_s"]["value"] for each in found["pipeline"]["streams"] if each["access"] == "load"}
if {"l1", "dram"} <= loads.keys():
    assert loads["l1"] > 0.9 * loads["dram"], loads
watts = told(rows)
assert abs(statistics.median(watts) / 20 - 1) < 0.05, watts
checked = subprocess.run([ergon, "machine", "check", profile], capture_output=True, text=True)
# A busy machine may show L2 as fast as L1, which a check of the profile finds; and since this machine takes 20 W
# whatever it does, a price may come out as next to nothing, which the check takes for a wrong unit.
findings = [line for line in (checked.stdout + checked.stderr).splitlines() if "warning: " in line or "error: " in line]
assert checked.returncode == 0 or findings and all("[level-order]" in line or "[energy-unit]" in line for line in findings), checked
print("20 W are 20 W")
