#!/usr/bin/env python3
"""Rounds of blocks on SimGrid against the paper's equations: rounds.py ERGON FOLDER

The kernel of Boughzala et al. 2020, section V-B: a round of 4.2 s at 153.65 W. Many numbers of blocks around
multiples of what the device holds, each on a node of its own. The wanted figures are eq. 3, 4, 6 and 7
written out here, from a, E_b and P_s; no code of Ergon's is in them."""

import math
import sys

from simulation import Simulator

ROUND_S, ROUND_W = 4.2, 153.65
# machine, idle power as printed, blocks at once: 14 multiprocessors with one block of 1024 or two
DEVICES = (("m2075", 29.4, 14), ("k20xm", 19.18, 28))


def sweep(simulator, machine, idle, at_once, level):
    numbers = sorted({n for k in (1, 2, 3, 10, 50) for n in (k * at_once - 1, k * at_once, k * at_once + 1)}
                     | {1, 2, 7, 99, 1000})
    document = simulator.run(
        nodes=[{"name": f"b{n}", "machine": machine} for n in numbers],
        calibrations={"vectorAdd": {
            "measurements": [{"blocks": k * at_once, "time_s": k * ROUND_S, "power_w": ROUND_W} for k in (1, 2, 10)],
            "threads_per_block": 1024, "flops_per_block": 1024}},
        phases=[{"compute": [{"calibration": "vectorAdd", "blocks": n, "level": level}], "ranks": [rank]}
                for rank, n in enumerate(numbers)])
    simulator.agrees(document, f"{machine} {level}")
    makespan = ROUND_S * math.ceil(numbers[-1] / at_once)
    simulator.same(document["simulated"]["makespan_s"], makespan, "makespan")
    per_block = (ROUND_W - idle) * ROUND_S / at_once  # E_b from eq. 7
    for n, host in zip(numbers, document["simulated"]["hosts"], strict=True):
        time = ROUND_S * math.ceil(n / at_once)  # eq. 4
        # Eq. 6: the last round costs what a full one does. Block by block: E_b for each, as in eq. 3.
        energy = ROUND_W * time if level == "rounds" else per_block * n + idle * time
        simulator.same(host["energy_j"], energy + idle * (makespan - time), f"{machine} {level}: {n} blocks")


def main():
    simulator = Simulator(*sys.argv[1:])
    for machine, idle, at_once in DEVICES:
        for level in ("rounds", "blocks"):
            sweep(simulator, machine, idle, at_once, level)
    simulator.report()


if __name__ == "__main__":
    main()
