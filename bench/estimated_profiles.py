#!/usr/bin/env python3
"""What boards that were measured draw, as shares of their thermal design power, and how far the law is off.

    bench/estimated_profiles.py [MACHINE_PROFILES]

Power of each kind of work at full rate by the measured or fitted profiles; then for each board the law of those of
other generations (docs/decisions/0044-estimated-profiles.md): out of sample."""
import json
import math
import pathlib
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "machine-profiles")

# Vendors' words: watts, and rates where the profile has none.
THERMAL = {"gtx580": 244, "gtx1080ti": 250, "v100-dcgm": 300, "h100": 700, "h200": 700}
GENERATION = {"h100": "Hopper", "h200": "Hopper"}  # not independent of each other
KINDS = ("constant", "f32", "f64", "f64_few", "int", "shared", "l2", "dram")


def value(entry):
    return entry["value"] if entry else 0


def board(name):
    """Watts by kind of work."""
    profile = json.loads((FOLDER / f"{name}.json").read_text())
    volts = 1.0
    core = mem = 0
    if "default_setting" in profile:
        core, mem = profile["default_setting"]["core_mhz"], profile["default_setting"].get("mem_mhz", 0)
        if law := profile.get("voltage", {}).get("core"):
            volts = 1 + max(0, core - law["flat_to_mhz"]["value"]) * law["rise_per_mhz"]["value"]
    power = profile["constant_power"]
    constant = (value(power["misc_w"]) + value(power.get("core_w_per_v")) * volts + value(power.get("core_w_per_mhz_v2")) * core * volts ** 2
                + value(power.get("mem_w_per_mhz")) * mem)
    rates = {key: entry["per_s"]["value"] for key, entry in profile["throughput"].items()}

    def price(key):
        entry = profile["energy"].get(key)
        return 0 if entry is None else entry["j"]["value"] if "j" in entry else entry["j_per_v2"]["value"] * volts ** 2

    def watts(**units):
        dynamic = sum(price(key) * rate for key, rate in units.items())
        if law := profile.get("saturation"):
            reference = law["reference_w"]["value"]
            dynamic = reference * (dynamic / reference) ** law["exponent"]["value"]
        return constant + dynamic

    result = {"constant": constant}
    if name == "v100-dcgm":  # 80 multiprocessors of 64 and 32 lanes, half of their 64 slots for warps in use, 900 GB/s
        slots = 80 * 32 * core * 1e6
        result |= {"f32": watts(f32_lane_ops=80 * 64 * core * 1e6, warp_slot_cycles=slots),
                   "f64": watts(f64_lane_ops=80 * 32 * core * 1e6, warp_slot_cycles=slots),
                   "dram": watts(bytes_dram=0.86 * 900e9, warp_slot_cycles=slots)}
        return result

    def at_full_rate(key, operations, *more):
        rate = rates[key]
        return watts(**{each: rate for each in (key, *more)}, warp_instructions=rate / operations)

    few = rates["flops_f64"] < rates["flops_f32"] / 7
    result |= {"f32": at_full_rate("flops_f32", 64), "f64_few" if few else "f64": at_full_rate("flops_f64", 64),
               "dram": at_full_rate("bytes_dram", 128, "bytes_l2") if name != "gtx580" else at_full_rate("bytes_dram", 128)}
    for kind, key, operations in (("int", "int_ops", 32), ("shared", "bytes_shared", 128), ("l2", "bytes_l2", 128)):
        if key in rates and price(key):
            result[kind] = at_full_rate(key, operations)
    return result


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    shares = {name: {kind: watts / THERMAL[name] for kind, watts in board(name).items()} for name in THERMAL}
    print("| board | thermal design power, W | " + " | ".join(KINDS) + " |\n| --- |" + " --- |" * (len(KINDS) + 1))
    for name, own in shares.items():
        print(f"| `{name}` | {THERMAL[name]} | " + " | ".join(f"{own[kind]:.2f}" if kind in own else "" for kind in KINDS) + " |")
    law = {kind: mean([own[kind] for own in shares.values() if kind in own]) for kind in KINDS}
    print("| geometric mean: the law | | " + " | ".join(f"{law[kind]:.3f}" for kind in KINDS) + " |\n")
    print("Power by the law of boards of other generations over this board's own:\n\n| board | " + " | ".join(KINDS) + " |\n| --- |" + " --- |" * len(KINDS))
    logs = []
    for name, own in shares.items():
        cells = []
        for kind in KINDS:
            others = [other[kind] for board_name, other in shares.items()
                      if GENERATION.get(board_name, board_name) != GENERATION.get(name, name) and kind in other]
            if kind not in own or not others:
                cells.append("")
                continue
            ratio = mean(others) / own[kind]
            cells.append(f"{ratio:.2f}")
            logs.append(math.log(ratio))
        print(f"| `{name}` | " + " | ".join(cells) + " |")
    scatter = math.sqrt(sum(each * each for each in logs) / len(logs))
    print(f"\n{len(logs)} kinds of work: logarithms scatter by {scatter:.3f}; 95 % within a factor of {math.exp(1.96 * scatter):.2f}; "
          f"largest factor {math.exp(max(abs(each) for each in logs)):.2f}")


if __name__ == "__main__":
    main()
