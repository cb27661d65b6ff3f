#!/usr/bin/env python3
"""MPI phases on SimGrid against Hockney's costs: collectives.py ERGON FOLDER

t_s + m·t_w a message, and how many of them follow each other: pairwise all-to-all p - 1, a ring 1,
a binomial broadcast and a barrier ceil(log2 p), recursive doubling log2 p and 2 more where p is no power of two."""

import math
import sys

from simulation import NETWORK, Simulator

BYTES = 1_000_003


def steps(collective, p):
    if p == 1:
        return 0
    below = int(math.log2(p))
    return {"alltoall-pairwise": p - 1, "ring": 1,
            "broadcast-binomial": math.ceil(math.log2(p)), "barrier-dissemination": math.ceil(math.log2(p)),
            "allreduce-recursive-doubling": below + (0 if p == 1 << below else 2)}[collective]


def main():
    simulator = Simulator(*sys.argv[1:])
    for collective in ("alltoall-pairwise", "ring", "broadcast-binomial", "barrier-dissemination",
                       "allreduce-recursive-doubling"):
        size = {} if collective.startswith("barrier") else {"bytes": BYTES}
        message = NETWORK["latency_s"] + size.get("bytes", 0) / NETWORK["bandwidth_bytes_per_s"]
        for p in (1, 2, 3, 5, 8, 13):
            document = simulator.run(nodes=[{"name": "n", "count": p, "idle_w": 70}], network=NETWORK,
                                     phases=[{"collective": collective, **size}])
            simulator.agrees(document, f"{collective} of {p}")
            makespan = steps(collective, p) * message
            simulator.same(document["simulated"]["makespan_s"], makespan, f"{collective} of {p}")
            simulator.same(document["simulated"]["energy_j"], 70 * p * makespan, f"{collective} of {p}: energy")
    # M messages of B bytes in all: M·t_s + B·t_w.
    document = simulator.run(nodes=[{"name": "n", "count": 4, "idle_w": 70}], network=NETWORK,
                             phases=[{"collective": "ring", "bytes": BYTES, "messages": 7}])
    simulator.agrees(document, "messages")
    simulator.same(document["simulated"]["makespan_s"],
                   7 * NETWORK["latency_s"] + BYTES / NETWORK["bandwidth_bytes_per_s"], "messages")
    simulator.report()


if __name__ == "__main__":
    main()
