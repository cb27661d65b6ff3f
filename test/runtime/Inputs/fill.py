#!/usr/bin/python3
"""Sets zones of a powercap tree: fill.py RANGE ENERGY ZONE..., both in µJ."""

import pathlib
import sys

for zone in map(pathlib.Path, sys.argv[3:]):
    zone.mkdir(parents=True, exist_ok=True)
    (zone / "max_energy_range_uj").write_text(f"{sys.argv[1]}\n")
    (zone / "energy_uj").write_text(f"{sys.argv[2]}\n")
