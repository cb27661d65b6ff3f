#!/usr/bin/env python3
"""Random programs on several hosts: simulated and analytic figures are the same: programs.py ERGON FOLDER

Ranks that are late for each other, several kinds of nodes, GPUs, settings, copies, collectives over some of the ranks."""

import random
import sys

from simulation import NETWORK, Simulator

CALIBRATIONS = {
    "even": {"measurements": [{"blocks": 14 * k, "time_s": 0.3 * k, "power_w": 140} for k in (1, 2, 10)],
             "threads_per_block": 1024},
    "uneven": {"measurements": [{"blocks": 10, "time_s": 0.012, "power_w": 120},
                                {"blocks": 50, "time_s": 0.05, "power_w": 130},
                                {"blocks": 400, "time_s": 0.37, "power_w": 150}],
               "blocks_at_once": 26, "flops_per_block": 1e6}}
COLLECTIVES = ("alltoall-pairwise", "ring", "broadcast-binomial", "barrier-dissemination",
               "allreduce-recursive-doubling")


def compute(chance, ranks):
    """Work on the nodes of `ranks`, and on their GPUs where all have one."""
    parts = []
    if chance.random() < 0.7:
        part = {"time_s": 10 ** chance.uniform(-5, 1), "power_w": chance.uniform(125, 200)}
        if chance.random() < 0.5:
            part["flops"] = 10 ** chance.uniform(6, 12)
        parts.append(part)
    for gpu in ("a", "b"):
        if all(rank < 3 for rank in ranks) and chance.random() < 0.6:
            parts.append({"on": gpu, "calibration": chance.choice(list(CALIBRATIONS)),
                          "blocks": chance.randint(1, 90), "level": chance.choice(("rounds", "blocks"))})
    return {"compute": parts, "ranks": ranks}


def phase(chance, count, depth=0):
    ranks = chance.sample(range(count), chance.randint(1, count))
    kind = chance.choice(("compute", "compute", "collective", "message", "copy", "settings", "repeat"))
    if kind == "repeat" and depth < 2:
        return {"repeat": chance.randint(1, 3),
                "phases": [phase(chance, count, depth + 1) for _ in range(chance.randint(1, 3))]}
    if kind == "message":
        source, target = chance.sample(range(count), 2)
        return {"message": {"from": source, "to": target, "bytes": chance.randint(0, 10**7),
                            "messages": chance.randint(1, 3)}}
    if kind == "collective":
        name = chance.choice(COLLECTIVES)
        size = {} if name.startswith("barrier") else {"bytes": chance.randint(0, 10**7)}
        return {"collective": name, **size, "ranks": ranks}
    gpus = [rank for rank in ranks if rank < 3]
    if kind == "copy" and gpus:
        return {"copy": {chance.choice(("to", "from")): "b", "bytes": chance.randint(0, 10**8)}, "ranks": gpus}
    boards = [rank for rank in ranks if rank >= 5]
    if kind == "settings" and boards:
        core, memory = chance.choice(((852, 924), (540, 528), (72, 68)))
        return {"compute": [{"time_s": chance.uniform(0.001, 1), "power_w": chance.uniform(7, 15),
                             "core_mhz": core, "mem_mhz": memory}], "ranks": boards}
    return compute(chance, ranks)


def main():
    simulator = Simulator(*sys.argv[1:])
    link = {"bandwidth_bytes_per_s": 6e9, "latency_s": 2e-5}
    for seed in range(25):
        chance = random.Random(seed)
        document = simulator.run(
            nodes=[{"name": "big", "count": 3, "machine": "i7-950",
                    "gpus": [{"name": "a", "machine": "m2075", "link": link},
                             {"name": "b", "machine": "k20xm", "link": link}]},
                   {"name": "small", "count": 2, "idle_w": 20.5, "off_w": 2},
                   {"name": "board", "count": 2, "machine": "jetson-tk1"}],
            network=NETWORK, calibrations=CALIBRATIONS,
            phases=[phase(chance, 7) for _ in range(12)])
        simulator.agrees(document, f"program {seed}")
    simulator.report()


if __name__ == "__main__":
    main()
