#!/usr/bin/python3
"""Logs of a board that is known: board.py FOLDER; board.py --check SAMPLES.csv

The board takes 20 W and 1 W for each 37 MHz of its core's clock, 30 pJ a flop and 100 pJ a byte of device memory. Seven kernels run on
it, each again and again for half a second and then a rest of 0.2 s, first at 1480 MHz and then at 1000. FOLDER gets what tools
would log of that, in the formats that their documentation shows: trace.csv, a GPU trace of nvprof; metrics.csv, counters of nvprof;
power.csv, of nvidia-smi every 20 ms. nvprof's clock starts 1.3 s after the power log. With --check each energy of the samples is compared with
the board's, to 1 %.
"""
import csv
import datetime
import pathlib
import sys

# Name, milliseconds at 1480 MHz, the part of them that follows the core's clock, flops, sectors of memory read and written.
KERNELS = (
    ("void saxpy<int=256>(int, float, float const *, float*)", 0.4, 0, 20e6, 2_500_000, 1_250_000),
    ("void daxpy<int=256>(int, double, double const *, double*)", 0.8, 0, 0, 5_000_000, 2_500_000),
    ("matMul(float*, float*, float*, int)", 12.0, 1, 60e9, 3_000_000, 200_000),
    ("stencil(float*, float const *, int, int)", 1.5, 0.5, 1.2e9, 6_000_000, 3_000_000),
    ("reduce(float const *, float*, int)", 0.25, 0, 30e6, 2_000_000, 1_000),
    ("nbody(float4*, float4 const *, int)", 20.0, 1, 90e9, 400_000, 100_000),
    ("transpose(float*, float const *, int, int)", 0.6, 0.2, 0, 3_000_000, 3_000_000),
)
CORES, MEMORY = (1480, 1000), 5505
DEVICE = '"GeForce GTX 1080 Ti (0)"'
PREAMBLE = ("==4242== NVPROF is profiling process 4242, command: ./seven\n==4242== Profiling application: ./seven\n"
            "==4242== Profiling result:\n")


def resting(core):
    """Watts at rest."""
    return 20 + core / 37


def milliseconds(kernel, core):
    return kernel[1] * (1 - kernel[2] + kernel[2] * CORES[0] / core)


def energy(kernel, core):
    """Joules of one launch."""
    return resting(core) * milliseconds(kernel, core) * 1e-3 + 30e-12 * kernel[3] + 100e-12 * 32 * (kernel[4] + kernel[5])


def short(kernel):
    """The kernel's name as the samples have it."""
    return kernel[0].removeprefix("void ").replace("int=", "").split("(")[0]


def write_logs(folder):
    rows, spans, now, number = [], [], 410.0, 100
    rows.append(f'402.1,1.028854,,,,,,,,,,4.0,3.7967,{DEVICE},"1","7","[CUDA memcpy HtoD]"')
    for core in CORES:
        begin_core = now - 100
        for kernel in KERNELS:
            begin, lasts = now, milliseconds(kernel, core)
            while now < begin + 500:
                rows.append(f'{now:.6f},{lasts:.6f},1024,1,1,256,1,1,32,0.000000,0,,,{DEVICE},"1","7","{kernel[0]} [{number}]"')
                now += lasts + 0.002
                number += 1
            spans.append((begin, now, energy(kernel, core) / lasts * 1e3))
            now += 200
        spans.append((begin_core, now, resting(core)))
    names = ("Start,Duration,Grid X,Grid Y,Grid Z,Block X,Block Y,Block Z,Registers Per Thread,Static SMem,Dynamic SMem,Size,"
             "Throughput,Device,Context,Stream,Name").split(",")
    (folder / "trace.csv").write_text(PREAMBLE + ",".join(f'"{name}"' for name in names) + "\nms,ms,,,,,,,,KB,B,MB,GB/s,,,,\n"
                                      + "\n".join(rows) + "\n")
    lines = []
    for kernel in KERNELS:
        for name, about, value in (("flop_count_sp", "Floating Point Operations(Single Precision)", f"{kernel[3]:.0f}"),
                                   ("flop_count_dp", "Floating Point Operations(Double Precision)", "0"),
                                   ("dram_read_transactions", "Device Memory Read Transactions", kernel[4]),
                                   ("dram_write_transactions", "Device Memory Write Transactions", kernel[5]),
                                   ("dram_utilization", "Device Memory Utilization", '"Mid (5)"'),
                                   ("dram_read_throughput", "Device Memory Read Throughput", "185.1GB/s")):
            lines.append(f'{DEVICE},"{kernel[0]}",3,"{name}","{about}",{value},{value},{value}')
    (folder / "metrics.csv").write_text(PREAMBLE + "==4242== Metric result:\n"
                                        '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n'
                                        + "\n".join(lines) + "\n")
    start, at = datetime.datetime(2019, 8, 23, 14, 54, 47, 307000), -1300
    log = ["timestamp, power.draw [W], clocks.current.sm [MHz], clocks.current.memory [MHz]"]
    change = next(begin for begin, end, watts in spans if watts == resting(CORES[1]))
    while at < now + 700:
        core = CORES[at >= change]
        watts = next((watts for begin, end, watts in spans if begin <= at <= end), resting(core))
        stamp = (start + datetime.timedelta(milliseconds=at)).strftime("%Y/%m/%d %H:%M:%S.%f")[:-3]
        log.append(f"{stamp}, {watts:.2f} W, {core} MHz, {MEMORY} MHz")
        at += 20
    (folder / "power.csv").write_text("\n".join(log) + "\n")


def check(samples):
    worst, rows = 0, 0
    with open(samples, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            kernel = next(kernel for kernel in KERNELS if short(kernel) == row["workload"])
            core = float(row["core_mhz"])
            assert core in CORES and float(row["mem_mhz"]) == MEMORY, row
            for found, right in ((float(row["time_s"]), milliseconds(kernel, core) * 1e-3), (float(row["energy_j"]), energy(kernel, core))):
                worst = max(worst, abs(found / right - 1))
            rows += 1
    print(f"{rows} rows, times and energies {'within' if worst <= 0.01 else 'NOT within'} 1 % ({worst:.2%})")
    return worst > 0.01


if __name__ == "__main__":
    sys.exit(check(sys.argv[2]) if sys.argv[1] == "--check" else write_logs(pathlib.Path(sys.argv[1])))
