#!/usr/bin/env python3
"""Writes the profiles that follow from data sheets by a law, or says which of them differ.

    scripts/estimated_profiles.py [--check] [FOLDER]

FOLDER (machine-profiles) has datasheets/gpus.json and datasheets/cpus.json: what vendors say of each machine.
docs/decisions/0044-estimated-profiles.md has the law and what it was held against. A machine under `completed` has a
profile already, which gets the energies that it lacks."""
import argparse
import json
import math
import pathlib
import sys

LAW_DATE = "2026-11-28"

# What a board draws with one kind of work at full rate, as a share of its thermal design power: geometric means of the
# boards in bench/estimated_profiles.py, which prints them.
SHARES = {"constant": 0.288, "f32": 1.005, "f64": 1.022, "f64_few": 0.663, "int": 0.796, "shared": 0.511, "l2": 0.516,
          "dram": 0.717}
# Standard deviation of the logarithm of a board's power over the law's, each generation left out in turn (the same script).
SCATTER = 0.414
# Prices over that of a flop of flops_f32, of machine-profiles/h100.json and h200.json: geometric means.
OVER_F32 = {"flops_f16": 0.79, "special_f32": 2.2, "load_bytes_global": 0.585, "store_bytes_global": 1.66,
            "flops_matrix_f16": 0.123, "flops_matrix_bf16": 0.113, "flops_matrix_tf32": 0.28, "flops_matrix_i8": 0.058,
            "flops_matrix_f64": 1.26}
# The share of the bus that streams reach: h100, h200, rtx3080, gtx1080ti.
REACHED = 0.86
# Of main memory, whatever the board and processor: 0.33 and 0.36 µs on rtx3080 and h100; of processors a round number.
GPU_LATENCY_S, CPU_LATENCY_S = 340e-9, 100e-9
# Bytes of L2 a cycle and multiprocessor: 12.5 to 31 on rtx3080, h100, h200, gtx1080ti, whose geometric mean this is.
L2_PER_CYCLE = 22
# Operations that a core of a busy server ends in a cycle, and the lines that it waits for at once.
OPERATIONS_PER_CYCLE, LINES_AT_ONCE, L3_CYCLES = 2, 24, 70
# Horowitz (ISSCC 2014, fig. 1.1.9): 64 bits of a cache of 1 MB take 100 pJ, of DRAM 1.3 to 2.6 nJ.
CACHE_OVER_DRAM = 0.05


def rounded(value):
    return float(f"{value:.4g}")


def q(value, source):
    return {"value": rounded(value), "source": source}


def law_source(derivation):
    return {"kind": "estimated", "reference": "docs/decisions/0044-estimated-profiles.md", "date": LAW_DATE,
            "derivation": derivation, "uncertainty": "in /fit"}


GPU_ENERGIES = ("one kind of work at full rate draws a share of the thermal design power: nothing 0.29, f32 1, f64 1 "
                "(where it has an eighth of the rate or less 0.66), integers 0.79, shared memory 0.51, L2 0.52, main memory with L2 "
                "0.72; the rest by its price over that of f32 on an H100 and an H200")
GPU_RATES = ("0.86 of the bus, 22 bytes of L2 and a line of 128 bytes of L1 a cycle and multiprocessor, copies at 0.86 of the link; blocks and "
             "atomic operations a cycle and launches a second as on an H100 and an RTX 3080")


def gpu_energies(board, f32, f64, integers, shared, l2, dram, has_code):
    """Joules by class, from rates a second."""
    watts = board["thermal_w"]
    constant = board.get("constant_w", SHARES["constant"] * watts)
    over = lambda share, rate: (SHARES[share] * watts - constant) / rate
    flop = over("f32", f32)
    l2_j = over("l2", l2) if l2 else 0
    result = {"flops_f32": flop,
              "flops_f64": over("f64" if f64 > f32 / 8 - 1 else "f64_few", f64),
              "fma_f32": 0.0, "fma_f64": 0.0,
              "bytes_dram": over("dram", dram) - l2_j}
    if l2:
        result["bytes_l2"] = l2_j
    if shared:
        result["bytes_shared"] = over("shared", shared)
    if integers:
        result |= {"int_ops": over("int", integers), "int_mul": over("int", integers)}
        if has_code:
            result["other_instructions"] = over("int", integers)
    result |= {"special_f32": OVER_F32["special_f32"] * flop,
               "load_bytes_global": OVER_F32["load_bytes_global"] * flop, "store_bytes_global": OVER_F32["store_bytes_global"] * flop}
    return result


def energy_block(prices):
    return {name: {"j": q(joules, "law")} for name, joules in sorted(prices.items())}


def fit_block(time_source):
    return {"energy_error": {"value": SCATTER, "source": "law"}, "time_error": {"value": 0.51, "source": time_source}}


OVERLAP = {"kind": "fitted", "reference": "kernels of CUDA programs on an RTX 3080 (machine-profiles/rtx3080.json)", "date": "2026-11-27",
           "uncertainty": "nine of ten kernels of that board whose counts follow from the source are within a factor of 2.7; not known for this board"}


def gpu_profile(board):
    major = int(board["capability"].split(".")[0]) if "capability" in board else 0
    has_code = major >= 7
    hz = board["core_mhz"] * 1e6
    sms = board.get("multiprocessors", 0)
    sources = {
        "datasheet": {"kind": "datasheet", "reference": board["reference"], "date": board["date"],
                      "derivation": "results a cycle, times multiprocessors and clock; how far code stays below these peaks is in /fit", "uncertainty": 0},
        "law": law_source(GPU_ENERGIES), "rates": law_source(GPU_RATES), "overlap": OVERLAP}
    lanes = lambda key: board[key] * sms * hz
    flops = board.get("rates") or {"flops_f32": 2 * lanes("f32_lanes"), "flops_f64": 2 * lanes("f64_lanes")}
    dram = REACHED * board["dram_bytes_per_s"]
    rates = {name: ("datasheet", value) for name, value in flops.items()}
    rates |= {"bytes_dram": ("rates", dram),
              "h2d_bytes": ("rates", REACHED * board["link_bytes_per_s"]), "d2h_bytes": ("rates", REACHED * board["link_bytes_per_s"]),
              "d2d_bytes": ("rates", dram / 2), "launches": ("rates", 450e3)}
    for kind, value in board.get("matrix_per_s", {}).items():
        rates[f"flops_matrix_{kind}"] = ("datasheet", value)
    shared = l2 = integers = 0
    if sms:
        shared, l2, integers = 128 * sms * hz, L2_PER_CYCLE * sms * hz, lanes("int_lanes")
        rates |= {"fma_f32": ("datasheet", flops["flops_f32"] / 2), "fma_f64": ("datasheet", flops["flops_f64"] / 2),
                  "flops_f16": ("datasheet", 2 * lanes("f16_lanes")), "fma_f16": ("datasheet", lanes("f16_lanes")),
                  "bytes_shared": ("datasheet", shared), "int_mul": ("datasheet", integers), "bytes_l2": ("rates", l2), "int_ops": ("datasheet", integers),
                  "special_f32": ("datasheet", lanes("special_lanes")), "blocks": ("rates", 0.82 * hz),
                  "atomics_one_word": ("rates", 0.47 * hz), "warp_instructions": ("datasheet", board["schedulers"] * sms * hz)}
    if has_code:
        rates |= {"issue_fp32": ("datasheet", lanes("f32_lanes")), "issue_fp64": ("datasheet", lanes("f64_lanes")),
                  "issue_fp16": ("datasheet", lanes("f16_lanes") / 2), "issue_int": ("datasheet", integers),
                  "issue_imad": ("datasheet", integers), "issue_sfu": ("datasheet", lanes("special_lanes")),
                  "issue_lsu": ("datasheet", lanes("load_lanes")), "issue_move": ("datasheet", 128 * sms * hz),
                  "issue_control": ("datasheet", 64 * sms * hz), "issue_uniform": ("datasheet", 64 * sms * hz),
                  "l1_lines": ("rates", sms * hz), "load_bytes_global": ("rates", shared), "latency_cycles": ("datasheet", hz)}
    prices = gpu_energies(board, flops["flops_f32"], flops["flops_f64"], integers, shared, l2, dram, has_code)
    if not sms:
        prices = {name: prices[name] for name in ("flops_f32", "flops_f64", "fma_f32", "fma_f64", "bytes_dram")}
    else:
        prices |= {"flops_f16": OVER_F32["flops_f16"] * prices["flops_f32"], "fma_f16": 0.0}
    for kind in board.get("matrix_per_s", {}):
        prices[f"flops_matrix_{kind}"] = OVER_F32[f"flops_matrix_{kind}"] * prices["flops_f32"]
    prices |= {"h2d_bytes": 34e-12, "d2h_bytes": 34e-12}
    note = "; " + board["note"] if "note" in board else ""
    result = {
        "schema": "ergon-profile/1", "name": board["name"],
        "description": f"{board['title']}: estimated from its data sheet, at {board['core_mhz']} MHz, nothing was measured; power is the board's{note}. Times "
                       "are of peak rates and of constants of other boards.",
        "kind": "gpu", "sources": sources,
        "settings": [{"core_mhz": board["core_mhz"], "source": "datasheet"}], "default_setting": {"core_mhz": board["core_mhz"]},
        "throughput": {name: {"per_s": q(value, source)} for name, (source, value) in sorted(rates.items())},
        "energy": energy_block(prices),
        "constant_power": {"misc_w": q(SHARES["constant"] * board["thermal_w"], "law")},
        "power_cap_w": {"value": board["thermal_w"], "source": "datasheet"},
        "overlap": {"exponent": {"value": 5.56, "source": "overlap"}},
        "fit": fit_block("overlap"),
        "byte_energy": {"paid": "at_each_level", "source": "law"},
        "datasheet": {"peak": {
            **{name: {"per_clock": rounded(value / hz), "mhz": board["core_mhz"], "source": "datasheet"} for name, value in sorted(flops.items())},
            "bytes_dram": {"per_clock": 1000, "mhz": rounded(board["dram_bytes_per_s"] / 1e9), "source": "datasheet"}}}}
    if sms:
        l1 = {"level": "l1", "bytes": board["l1_bytes"], "line_bytes": 128, "sector_bytes": 32, "shared_by": 1, "write": "through",
              "write_allocate": False}
        if board["l1_with_shared"]:
            l1["with_shared"] = True
        result["caches"] = [{**l1, "source": "datasheet"},
                            {"level": "l2", "bytes": board["l2_bytes"], "line_bytes": 128, "sector_bytes": 32, "shared_by": sms, "source": "datasheet"}]
        sources["latencies"] = {
            "kind": "estimated", "reference": "Abdelkhalik, Arafa, Santhi, Badawy: Demystifying the Nvidia Ampere Architecture through "
            "Microbenchmarking and Instruction-level Analysis, 2022: shared memory, L1, L2 of an A100; machine-profiles/h100.json, rtx3080.json: main memory",
            "date": "2022", "derivation": "cycles of an A100; main memory 0.34 µs, between the two boards", "uncertainty": "of other boards"}
        result["device"] = {
            "compute_capability": {"value": board["capability"], "source": "datasheet"},
            "multiprocessors": {"value": sms, "source": "datasheet"},
            "shared_banks": {"value": 32, "source": "datasheet"}, "shared_bank_bytes": {"value": 4, "source": "datasheet"},
            "global_loads_in_l1": {"value": True, "source": "datasheet"},
            "latency_cycles": {"shared": q(23, "latencies"), "l1": q(33, "latencies"), "l2": q(200, "latencies"),
                               "dram": q(GPU_LATENCY_S * hz, "latencies")}}
    return result


def completed(board, profile):
    """The profile with energies by the law."""
    sms, hz = board["multiprocessors"], board["core_mhz"] * 1e6
    lanes = lambda key: board[key] * sms * hz
    has_code = board.get("has_machine_code", False)
    # At a clock below the one of the thermal design power, less power: the law's joules are of that clock.
    at = {**board, "thermal_w": board["thermal_w"] * board["core_mhz"] / board.get("thermal_mhz", board["core_mhz"])}
    if board.get("keeps_constant"):  # somebody measured it
        at["constant_w"] = profile["constant_power"]["misc_w"]["value"]
    else:
        profile["constant_power"] = {"misc_w": q(SHARES["constant"] * board["thermal_w"], "law")}
    f32, f64 = 2 * lanes("f32_lanes"), 2 * lanes("f64_lanes")
    profile["sources"]["board"] = {"kind": "datasheet", "reference": board["reference"], "date": board["date"], "uncertainty": 0}
    profile["sources"]["law"] = law_source(GPU_ENERGIES)
    profile["energy"] = energy_block(gpu_energies(at, f32, f64, lanes("int_lanes"), 128 * sms * hz, L2_PER_CYCLE * sms * hz,
                                                  REACHED * board["dram_bytes_per_s"], has_code))
    profile["byte_energy"] = {"paid": "at_each_level", "source": "law"}
    profile["fit"] = profile.get("fit", {}) | {"energy_error": {"value": SCATTER, "source": "law"}}
    if "time_error" not in profile["fit"]:
        profile["sources"]["overlap"] = OVERLAP
        profile["fit"]["time_error"] = {"value": 0.51, "source": "overlap"}
    if has_code:
        profile["power_cap_w"] = {"value": board["thermal_w"], "source": "board"}
    for name, value in {"flops_f32": f32, "flops_f64": f64}.items():
        profile["throughput"].setdefault(name, {"per_s": q(value, "board")})
    return profile


def interval(value, source, factor=1.0):
    return {"value": rounded(value), "low": rounded(value / factor), "high": rounded(value * factor), "source": source}


def pipeline(cpu, core, hz):
    """One core, from the optimization guide; streams of main memory by the law."""
    of = lambda per_cycle: interval(per_cycle * hz, "guide")
    wide = [64, 128] + [bits for bits in (256, 512) if bits <= core["lanes_bits"] or (bits == 512 and has_512(cpu, core))]
    if core["lanes_bits"] == 128:
        wide = [64, 128]

    def slower(bits):  # where a unit is narrower than the operand
        return min(1.0, core["lanes_bits"] / bits) if not (bits == 512 and cpu.get("has_512")) else 1.0

    operations = []

    def add(name, kind, bits, latency, per_cycle):
        entry = {"operation": name, "type": kind, "bits": bits}
        if latency:
            entry["latency_s"] = interval(latency / hz, "guide")
        if per_cycle:
            entry["per_s"] = of(per_cycle)
        operations.append(entry)

    for kind, lane in (("f64", 64), ("f32", 32)):
        for bits in [lane] + [b for b in wide if b > 64]:
            part = slower(bits)
            for name, key in (("add", "fp_add"), ("mul", "fp_mul"), ("fma", "fma")):
                add(name, kind, bits, core[key][0], core[key][1] * part)
            for name in ("div", "sqrt"):  # a divider is half as wide as the other units
                latency, per_cycle = core[f"{name}_{kind}"]
                per_cycle *= min(1.0, core["lanes_bits"] / 2 / bits)
                add(name, kind, bits, max(latency, 1 / per_cycle), per_cycle)
    for kind, lane in (("i64", 64), ("i32", 32)):
        add("add", kind, lane, 1 if kind == "i64" else 0, core["int_units"])
        add("mul", kind, lane, core["int_mul"][0], core["int_mul"][1])
        add("div", kind, lane, *core["int_div"])
        for bits in [b for b in wide if b > 64]:
            add("add", kind, bits, 1 if kind == "i64" else 0, core["vector_int"] * slower(bits))
    add("logic", "i64", 64, 0, core["int_units"])
    add("shift", "i64", 64, 0, 2)
    add("jump", "i64", 64, 0, 1)
    add("store_forward", "f64", 64, core["forward"], 0)
    add("mispredict", "i64", 64, core["mispredict"], 0)

    streams = []

    def stream(level, access, bits, threads, bytes_per_s, source="guide"):
        factor = 1.0 if source == "guide" else 1.5
        streams.append({"level": level, "access": access, "bits": bits, "threads": threads, "bytes_per_s": interval(bytes_per_s, source, factor)})

    for bits in wide:
        size = bits / 8
        units = lambda narrow, vector: core[narrow] if bits == 64 else core[vector] * slower(bits)
        loads, stores = units("loads", "vector_loads"), units("stores", "vector_stores")
        if bits == 512 and cpu.get("has_512"):
            loads, stores = 2, 1
        l1 = {"load": loads * size, "load4": loads * size, "store": stores * size, "copy": 2 * min(loads, stores) * size,
              "update": 2 * min(loads, stores) * size, "triad": 3 * min(loads / 2, stores) * size}
        for access, per_cycle in l1.items():
            stream("l1", access, bits, 1, per_cycle * hz)
        l2 = core["l2"]["bytes_per_cycle"]
        l3 = core["l3"].get("bytes_per_cycle", 64 * LINES_AT_ONCE / L3_CYCLES / 2)
        dram = min(64 * LINES_AT_ONCE / CPU_LATENCY_S, REACHED * cpu["dram_bytes_per_s"])
        whole = REACHED * cpu["dram_bytes_per_s"]
        for access in l1:
            narrow = l1[access]
            # A line that is stored to is fetched and written back.
            moved = {"load": 1, "load4": 1, "store": 1 / 2, "copy": 2 / 3, "update": 1, "triad": 3 / 4}[access]
            stream("l2", access, bits, 1, min(narrow, l2 * moved) * hz)
            stream("l3", access, bits, 1, min(narrow, l3 * moved) * hz, "guide" if "bytes_per_cycle" in core["l3"] else "law")
            stream("dram", access, bits, 1, min(narrow * hz, dram * moved), "law")
            stream("dram", access, bits, cpu["cores"], min(narrow * hz * cpu["cores"], whole * moved), "law")
    l3_cycles = core["l3"].get("cycles")
    latencies = [{"level": "l1", "latency_s": interval(core["l1"]["cycles"] / hz, "guide")},
                 {"level": "l2", "latency_s": interval(core["l2"]["cycles"] / hz, "guide")},
                 {"level": "l3", "latency_s": interval((l3_cycles or L3_CYCLES) / hz, "guide" if l3_cycles else "law", 1.0 if l3_cycles else 1.5)},
                 {"level": "dram", "latency_s": interval(CPU_LATENCY_S, "law", 1.5)}]
    line = 8 * LINES_AT_ONCE / CPU_LATENCY_S
    stream("dram", "load_random", 64, 1, line / 2, "law")
    # The first stream says of which kind the pipeline is.
    streams.sort(key=lambda each: each["bytes_per_s"]["source"] != "law")
    return {"core_hz": interval(hz, "datasheet"), "issue_per_s": of(core["issue"]), "window": interval(core["kept"] / 4, "law", 1.5),
            "slot_window": interval(core["kept"], "guide"), "operations": operations, "streams": streams, "latencies": latencies}


def has_512(cpu, core):
    return cpu.get("has_512") or core.get("has_512")


def cpu_profile(cpu, cores):
    core = cores[cpu["core"]]
    hz, count, watts = cpu["base_mhz"] * 1e6, cpu["cores"], cpu["thermal_w"]
    bits = 512 if cpu.get("has_512") else core["lanes_bits"]
    lanes = bits // 64
    l1_bytes = (2 if bits == 512 else core["vector_loads"]) * bits / 8
    f64 = 2 * core["fma"][1] * lanes * hz * count
    dram = REACHED * cpu["dram_bytes_per_s"]
    operation = (SHARES["f32"] - SHARES["constant"]) * watts / (count * hz * OPERATIONS_PER_CYCLE) / math.sqrt(lanes)
    dram_j = (SHARES["dram"] - SHARES["constant"]) * watts / dram
    prices = dict.fromkeys(("int_ops", "int_mul", "loads_memory", "stores_memory", "loads_stack", "stores_stack",
                            "branches"), operation)
    dynamic = (SHARES["f32"] - SHARES["constant"]) * watts
    prices |= {"flops_f64": dynamic / f64, "flops_f32": dynamic / (2 * f64), "bytes_dram": dram_j, "bytes_l2": CACHE_OVER_DRAM * dram_j, "bytes_l3": CACHE_OVER_DRAM * dram_j, "fma_f32": 0.0, "fma_f64": 0.0}
    l3 = core["l3"] | {key: cpu[f"l3_{key}"] for key in ("bytes", "ways") if f"l3_{key}" in cpu}
    one = lambda level, entry, shared, **more: {"level": level, "bytes": entry["bytes"], "line_bytes": 64, "ways": entry["ways"], "shared_by": shared,
                                                "write": "back", "write_allocate": True, **more}
    return {
        "schema": "ergon-profile/1", "name": cpu["name"],
        "description": f"{cpu['title']}: estimated from vendors' documents, all cores at the base clock of {cpu['base_mhz'] / 1000:g} GHz, nothing was measured; "
                       f"where few cores work it runs at up to {cpu['boost_mhz'] / 1000:g} GHz. Power is the package's with its memory's traffic.",
        "kind": "cpu",
        "sources": {
            "datasheet": {"kind": "datasheet", "reference": cpu["reference"], "date": cpu["date"], "uncertainty": 0},
            "guide": {"kind": "datasheet", "reference": core["reference"], "date": core["date"],
                      "derivation": "cycles at the base clock; a 512-bit operation takes two turns of units of 256 bits; how far code stays below is in /fit", "uncertainty": 0},
            "law": law_source("all cores at work draw the thermal design power, of which 0.29 whatever they do; the rest is that of flops at the peak rate, or of two other operations a core and "
                              "cycle, a vector counting as the square root of its lanes; streams of main memory draw 0.72 and have 0.86 of the bus; a byte of L2 or L3 takes a twentieth of one of memory "
                              "(Horowitz, ISSCC 2014, fig. 1.1.9); main memory answers after 100 ns, and a core waits for 24 lines at once; L3 takes 70 cycles where the vendor "
                              "does not say")},
        "settings": [{"core_mhz": cpu["base_mhz"], "source": "datasheet"}], "default_setting": {"core_mhz": cpu["base_mhz"]},
        "throughput": {
            "flops_f32": {"per_s": q(2 * f64, "guide")}, "flops_f64": {"per_s": q(f64, "guide")},
            "int_ops": {"per_s": q(core["int_units"] * hz * count, "guide")}, "int_mul": {"per_s": q(core["int_mul"][1] * hz * count, "guide")},
            "bytes_l1": {"per_s": q(l1_bytes * hz * count, "guide")},
            "bytes_l2": {"per_s": q(min(l1_bytes, core["l2"]["bytes_per_cycle"]) * hz * count, "guide")},
            "bytes_dram": {"per_s": q(dram, "law")}},
        "energy": energy_block(prices),
        "constant_power": {"misc_w": q(SHARES["constant"] * watts, "law")},
        "power_cap_w": {"value": watts, "source": "datasheet"},
        "fit": {"energy_error": {"value": CPU_ENERGY_ERROR, "source": "law"}, "time_error": {"value": CPU_TIME_ERROR, "source": "law"}},
        "byte_energy": {"paid": "at_each_level", "source": "law"},
        "datasheet": {"peak": {"flops_f64": {"per_clock": 2 * core["fma"][1] * lanes * count, "mhz": cpu["base_mhz"], "source": "guide"},
                               "bytes_dram": {"per_clock": 1000, "mhz": rounded(cpu["dram_bytes_per_s"] / 1e9), "source": "datasheet"}}},
        "caches": [one("l1", core["l1"], 1, source="guide"), one("l2", core["l2"], 1, inclusion="neither", source="guide"),
                   one("l3", l3, cpu["l3_shared_by"], inclusion=l3["inclusion"], source="datasheet")],
        "pipeline": pipeline(cpu, core, hz)}


# A core is between a scalar instruction and a full vector: a factor of √8 to both sides, exp(1.96·0.53).
CPU_ENERGY_ERROR = 0.53
CPU_TIME_ERROR = 0.35


def text_of(profile):
    """JSON with short objects on a line."""
    def write(value, depth):
        flat = json.dumps(value, ensure_ascii=False)
        if not isinstance(value, (dict, list)) or len(flat) + 2 * depth < 150 and depth > 1:
            return flat
        inner, outer = "  " * (depth + 1), "  " * depth
        if isinstance(value, list):
            return "[\n" + ",\n".join(inner + write(each, depth + 1) for each in value) + f"\n{outer}]"
        return "{\n" + ",\n".join(f"{inner}{json.dumps(key)}: {write(each, depth + 1)}" for key, each in value.items()) + f"\n{outer}}}"
    return write(profile, 0) + "\n"


def profiles(folder):
    """(name, text) of each."""
    gpus = json.loads((folder / "datasheets" / "gpus.json").read_text())
    cpus = json.loads((folder / "datasheets" / "cpus.json").read_text())
    for board in gpus["boards"]:
        yield board["name"], text_of(gpu_profile(board))
    for board in gpus["completed"]:
        yield board["name"], text_of(completed(board, json.loads((folder / f"{board['name']}.json").read_text())))
    for cpu in cpus["processors"]:
        yield cpu["name"], text_of(cpu_profile(cpu, cpus["cores"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "machine-profiles")
    args = parser.parse_args()
    different = 0
    for name, text in profiles(args.folder):
        path = args.folder / f"{name}.json"
        if not args.check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            different += 1
            print(f"{path}: not what scripts/estimated_profiles.py writes; run it")
    if args.check and not different:
        print("all as the law says")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
