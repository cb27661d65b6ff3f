"""Holds the answers of a page against `ergon predict --json`: same_as_predict.py ANSWER ERGON FOLDER

The folder has records/, page.html and strict.html. Predictions of the lines that are looked at stay in it."""

import json
import pathlib
import subprocess
import sys

answer, ergon, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])

CASES = [
    ("scale", {"n": "100"}, "gtx580", {}, "scale.predict.json"),
    ("twice", {"n": "100"}, "gtx580", {}, "twice.predict.json"),
    ("scale", {"n": "100000"}, "i7-950", {}, "cached.predict.json"),
    ("square", {"n": "300"}, "epyc-7763", {}, None),
    ("square", {}, "gtx580", {}, None),
    ("square", {"n": "2e9"}, "gtx580", {}, None),
    ("square", {"n": "10..20"}, "gtx580", {}, None),
    ("square", {"n": "50"}, "jetson-tk1", {"core_mhz": 852, "mem_mhz": 924}, None),
    ("twice", {"n": "7", "bytes_dram": "1000"}, "i7-950", {}, None),
    ("twice", {"n": "7"}, "", {}, None),
]

program = json.loads(subprocess.run([answer, folder / "page.html", '{"do":"program"}'],
                                    capture_output=True, check=True).stdout)
ids = {each["name"]: each["id"] for each in program["functions"]}
shipped = {each["name"] for each in program["machines"]}
for name, values, machine, setting, keep, page in [
        (*case, page) for case in CASES for page in ("page", "strict")]:
    command = [ergon, "predict", *(["--strict"] if page == "strict" else []), folder / "records", "--entry", name, "--json"]
    request = {"do": "predict", "function": ids[name], "set": values}
    for symbol, value in values.items():
        command += ["--set", f"{symbol}={value}"]
    if machine:
        plain = folder / "plain" / f"{machine}.json"  # does not say of which processor it is
        command += ["--machine", plain if plain.exists() else machine]
        request["machine"] = pathlib.Path(machine).stem
        assert request["machine"] in shipped, machine
    if setting:
        request["setting"] = setting
        for clock, mhz in setting.items():
            command += [f"--{clock.replace('_', '-')}", str(mhz)]
    predicted = subprocess.run(command, capture_output=True).stdout
    answered = subprocess.run([answer, folder / f"{page}.html", json.dumps(request)],
                              capture_output=True).stdout
    if not predicted or predicted != answered:
        sys.exit(f"{page}: {name} {values} {machine}:\n{predicted.decode()}\nagainst\n{answered.decode()}")
    if keep:
        (folder / keep).write_bytes(predicted)
