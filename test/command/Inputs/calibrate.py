"""Calibrates this machine a little: calibrate.py ERGON FOLDER

Whatever else runs here, the machine may be too busy for good samples: then it is tried again, some times."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

from progress import without_progress

ergon, folder = sys.argv[1], pathlib.Path(sys.argv[2])
profile, samples = folder / "mine.json", folder / "mine.samples.csv"
part = folder / "mine.samples.csv.part"
command = [ergon, "calibrate", "--quick", "-o", profile, "--only", "[afdl][dmio][dav]-f64-64*-1thread"]


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def limit(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def patiently(run):
    """What a run gives, as its exit status and texts; again where the machine was too busy, or ran at another clock."""
    for _ in range(20):
        status, out, err = run()
        err = without_progress(err)
        if status != 2 or not any(each in err for each in ("too busy", "enough good samples", "and the core runs at")):
            return status, out, err
        assert err.count("\n") == 1, err
    sys.exit("never idle enough")


def calibrate(**how):
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"ERGON_METERS": "none"}, **how)
    return done.returncode, done.stdout, done.stderr


def interrupted():
    """Interrupted as soon as there are samples."""
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while len(lines(part)) < 3 and running.poll() is None:
        time.sleep(0.002)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    return running.returncode, out, err


status, out, err = patiently(interrupted)
before = lines(part)
assert status == -signal.SIGINT and not out, (status, out, err)
assert err == "ergon: interrupted; the same command goes on from here\n", err
assert not profile.exists() and not samples.exists()
print(f"interrupted after {len(before) - 1} samples by signal 2")

# A line that was cut off is none; a file that may not grow is a full disk.
with part.open("a") as file:
    file.write("load-f64-64-l1-1thr")
size = sum(len(line) + 1 for line in before)
status, out, err = patiently(lambda: calibrate(preexec_fn=limit(size + 10)))
assert status == 2 and err.count("\n") == 1, (status, out, err)
assert "mine.samples.csv.part: cannot be written: File too large" in err, err
assert lines(part) == before and not profile.exists()
print("refused a full disk, and went on")

status, out, err = patiently(calibrate)
assert status == 0, (status, out, err)
assert lines(samples)[:len(before)] == before and not part.exists()
assert "no energies were measured, the profile has times alone: " in out, out

found = json.loads(profile.read_text())
assert found["kind"] == "cpu" and found["energy"] == {} and "constant_power" not in found
pipeline = found["pipeline"]
assert 1e8 < pipeline["core_hz"]["value"] < 1e10
for each in pipeline["operations"]:
    # Who waits for each other is not faster than who does not.
    if "latency_s" in each and "per_s" in each:
        assert each["latency_s"]["value"] > 0.9 / each["per_s"]["value"], each
for name, each in found["throughput"].items():
    assert each["per_s"]["value"] > 0 and each["per_s"]["source"] == "calibration", name
checked = subprocess.run([ergon, "machine", "check", profile], capture_output=True, text=True)
assert checked.returncode == 0, checked.stdout
# Times alone can be fitted to the samples.
fitted = subprocess.run([ergon, "fit", samples, "-o", folder / "fitted.json", "--time"], capture_output=True, text=True)
assert fitted.returncode == 0 and "throughput.flops_f64" in fitted.stdout + (folder / "fitted.json").read_text(), fitted
alone = subprocess.run([ergon, "fit", samples, "-o", folder / "fitted.json"], capture_output=True, text=True)
assert alone.returncode == 2 and "energy_j is blank in every row; fit times alone with --time" in alone.stderr, alone
print("sane")
