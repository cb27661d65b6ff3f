"""Checks keys and types of the --json views in a folder, for saxpy with n = 1000 on the i7-950."""
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])


def load(name, schema):
    document = json.loads((folder / f"{name}.json").read_text())
    assert document["schema"] == schema, document["schema"]
    return document


def check(document, **types):
    for key, kind in types.items():
        assert isinstance(document[key], kind), (key, document.get(key))


number = (int, float)
d = load("predict", "ergon-prediction/1")
check(d, entry=str, machine=str, setting=dict, counts=dict, known=dict, time_s=dict, energy_j=dict,
      power_w=dict, intensity=dict, bound=str, breakdown_j=dict, unbound=list)
assert d["entry"] == "saxpy" and d["machine"] == "i7-950" and d["unbound"] == []
# 1000 iterations of a multiplication and an addition, two loads of 4 bytes, one store of 4 bytes.
wanted = {"flops_f32": 2000, "loads_memory": 2000, "stores_memory": 1000,
          "load_bytes_memory": 8000, "store_bytes_memory": 4000, "bytes_dram": 12000}
assert {key: d["counts"][key] for key in wanted} == wanted, d["counts"]
assert all(isinstance(value, int) for value in d["counts"].values()), d["counts"]
assert set(d["known"]) == set(d["counts"])
assert set(d["known"].values()) <= {"exact", "bound", "assumed", "measured"}
assert d["known"]["flops_f32"] == "exact"
for key in ("time_s", "energy_j", "power_w"):
    value, low, high = (d[key][name] for name in ("value", "low", "high"))
    assert all(isinstance(each, number) for each in (value, low, high))
    assert 0 < low <= value <= high, d[key]
assert abs(sum(d["breakdown_j"].values()) / d["energy_j"]["value"] - 1) < 1e-12
assert d["bound"] == "dram" and abs(d["intensity"]["dram"] - 2000 / 12000) < 1e-15

d = load("show", "ergon-show/1")
[function] = d["functions"]
check(function, name=str, demangled=str, unit=str, target=str, snapshot=str, at=str, kernel=bool,
      params=list, work=str, traffic=str, counts=dict, known=dict, loops=list, open_calls=dict,
      unknowns=list)
assert function["name"] == "saxpy" and function["snapshot"] == "algorithm"
assert [each["name"] for each in function["params"]] == ["n", "a", "x", "y"]
[loop] = function["loops"]
check(loop, variable=str, at=str, depth=int, entries=str, trips=str, known=str, counts=dict,
      accesses=list)
assert loop["at"].endswith("saxpy.c:3:3") and loop["trips"] == "n" and loop["depth"] == 0
assert [(a["op"], a["bytes"], a["space"], a["base"], a["offset"], a["line"])
        for a in loop["accesses"]] == [("load", 4, "memory", "x", "4*i", 4),
                                       ("load", 4, "memory", "y", "4*i", 4),
                                       ("store", 4, "memory", "y", "4*i", 4)], loop["accesses"]

d = load("list", "ergon-machines/1")
for machine in d["machines"]:
    check(machine, name=str, settings=int, description=str)
assert {"fermi", "gtx580", "i7-950", "jetson-tk1"} <= {each["name"] for each in d["machines"]}

d = load("machine", "ergon-machine/1")
check(d, name=str, description=str, setting=dict, balance=dict, settings=list, throughput=dict,
      energy=dict, constant_power=dict, sources=dict)
for source in d["sources"].values():
    check(source, kind=str, reference=str, date=str)
    assert source["kind"] in ("datasheet", "measured", "fitted", "published")
