"""Calibrates at several clocks of processors that cpufreq can set, as far as a made-up tree and a made-up time go:
calibrate_clocks.py ERGON SHIM FOLDER"""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from progress import without_progress

ergon, shim, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
policy = folder / "cpufreq" / "policy0"
policy.mkdir(parents=True)
profile, samples, kept = folder / "mine.json", folder / "mine.samples.csv", folder / "mine.clocks"
part = folder / "mine.samples.csv.part"
clock = policy / "scaling_max_freq"
environment = os.environ | {"ERGON_METERS": "none", "ERGON_CPUFREQ_ROOT": str(policy.parent), "LD_PRELOAD": shim,
                            "CLOCK_SHIM_FILE": str(clock)}
plain = [ergon, "calibrate", "--quick", "--verbose", "-o", profile, "--only", "[ad][di][dv]-f64-64*-1thread"]
command = plain + ["--sweep-clocks", "3000,2000,1000"]


def put(name, text):
    (policy / name).write_text(f"{text}\n")


def bounds():
    return (policy / "scaling_min_freq").read_text().strip(), clock.read_text().strip()


def rows():
    path = part if part.exists() else samples
    return list(csv.DictReader(path.open())) if path.exists() else []


def by_workload():
    """The rows of each workload, by clock."""
    taken = {}
    for row in rows():
        taken.setdefault(row["workload"], {}).setdefault(row["core_mhz"], []).append(row)
    return taken


def cycles(by_clock):
    return [int(mhz) * min(float(row["time_s"]) for row in at) for mhz, at in by_clock.items()]


def is_same_cycles(by_clock):
    return max(cycles(by_clock)) < 1.3 * min(cycles(by_clock))


def run(words, **more):
    done = subprocess.run(words, capture_output=True, text=True, env=environment | more)
    return done.returncode, done.stdout, without_progress(done.stderr)


def started_until(ready):
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    while not ready() and running.poll() is None:
        time.sleep(0.001)
    return running


def patiently(run, is_good):
    """What a run gives, again where the machine was too busy to tell."""
    for _ in range(20):
        result = run()
        assert bounds() == ("800000", "3400000"), bounds()
        assert not kept.exists()
        if is_good(*result):
            return result
        assert result[0] <= 2 and result[2].count("\n") <= 1, result
        for path in (part, samples, profile):
            path.unlink(missing_ok=True)
    print("the machine is too busy to tell")
    sys.exit(0)


put("affected_cpus", " ".join(map(str, range(256))))
put("cpuinfo_min_freq", 800000)
put("cpuinfo_max_freq", 3600000)
put("scaling_min_freq", 800000)
put("scaling_max_freq", 3400000)


# Interrupted at the second clock: all is as it was, by any signal that can be caught.
def interrupted(number):
    part.unlink(missing_ok=True)
    running = started_until(lambda: any(row["core_mhz"] == "2000" for row in rows()))
    running.send_signal(number)
    out, err = running.communicate()
    return running.returncode, out, without_progress(err)


for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    status, out, err = patiently(
        lambda: interrupted(number),
        lambda status, *rest: status == -number and {row["core_mhz"] for row in rows()} == {"3000", "2000"})
    assert err == "ergon: interrupted; the same command goes on from here\n", err
before = rows()
print("interrupted at the second clock, and put back")

# Killed: what to put back is written down. Only a run that may set clocks does it.
running = started_until(lambda: bounds() != ("800000", "3400000") and kept.exists())
running.kill()
running.communicate()
assert kept.read_text() == f"800000 3400000 {policy}\n", kept.read_text()
left = bounds()
status, out, err = run(plain)
assert status == 2 and "mine.clocks: has clocks that a run which was killed did not put back; add --sweep-clocks" in err, err
assert bounds() == left
print("killed, and told")

# What the killed run left is put back before anything else, and the samples are gone on from.
status, out, err = run(command)
assert f"{policy} is from 800000 to 3400000 kHz again, as before a run that was killed" in err, err
assert rows()[:len(before)] == before
for attempt in range(10):  # another program may take the processor at one clock and not at the others
    if attempt:
        samples.unlink()
    status, out, err = patiently(lambda: run(command), lambda status, out, err: status == 0 and "not " not in out)
    if all(map(is_same_cycles, by_workload().values())):
        break
found = json.loads(profile.read_text())
assert [each["core_mhz"] for each in found["settings"]] == [3000, 2000, 1000], found["settings"]
assert found["default_setting"] == {"core_mhz": 3000}
assert abs(found["pipeline"]["core_hz"]["value"] / 3e9 - 1) < 0.03, found["pipeline"]["core_hz"]
for name in ("flops_f64", "div_f64"):
    each = found["throughput"][name]
    assert each["clock"] == "core" and each["at_mhz"] == 3000, each
# A workload is the same at each clock, and takes as many cycles.
for name, each in by_workload().items():
    assert each.keys() == {"3000", "2000", "1000"}, name
    assert len({row["flops_f64"] for at in each.values() for row in at}) == 1, each
    assert is_same_cycles(each), (name, cycles(each))
# They are samples of `ergon fit`, to which each clock is what it was asked to be.
fitted = subprocess.run([ergon, "fit", samples, "--time", "-o", folder / "fitted.json"], capture_output=True, text=True)
assert fitted.returncode == 0 and "3 settings" in fitted.stdout, fitted
assert "asked" not in fitted.stderr and "cycles" not in fitted.stderr, fitted.stderr
checked = subprocess.run([ergon, "machine", "check", profile], capture_output=True, text=True)
assert checked.returncode == 0, checked
print("three clocks")

# The processors run at another clock than they are told to: there is no such setting.
samples.unlink()
status, out, err = patiently(lambda: run(command, CLOCK_SHIM_KHZ="2000000"),
                             lambda status, out, err: status == 0 and "not at 2000 MHz" not in out)
assert "not at 3000 MHz: the processors ran at 20" in out or "not at 3000 MHz: the processors ran at 19" in out, out
found = json.loads(profile.read_text())
assert [each["core_mhz"] for each in found["settings"]] == [2000], found["settings"]
assert "; not at 1000 MHz: the processors ran at " in found["sources"]["clocks"]["derivation"], found["sources"]
samples.unlink()
status, out, err = run(plain + ["--sweep-clocks", "1000"], CLOCK_SHIM_KHZ="2000000")
assert status == 2 and "--sweep-clocks: no clock could be measured: at 1000 MHz the processors ran at " in err, err
assert bounds() == ("800000", "3400000") and not kept.exists()
print("a clock that is not taken")
