#!/usr/bin/python3
"""Test inputs after nvprof's and nvidia-smi's documentation: gen.py FOLDER

A board of 60 W, 30 pJ for each flop and 100 pJ for each byte of device memory runs seven kernels, each again and again for a second and a
half, with half a second of rest between them, at core and memory clocks of 1480 and 5505 MHz. nvprof's clock starts 1.3 s after the power log.
"""
import pathlib, sys, datetime
out = pathlib.Path(sys.argv[1])
KERNELS = [ # name, ms, flops, dram read sectors, dram write sectors
    ("void saxpy<int=256>(int, float, float const *, float*)", 0.4, 2.0e7, 2_500_000, 1_250_000),
    ("void axpy<int=256>(int, double, double const *, double*)", 0.8, 4.0e7, 5_000_000, 2_500_000),
    ("matMul(float*, float*, float*, int)", 12.0, 6.0e10, 3_000_000, 200_000),
    ("stencil(float*, float const *, int, int)", 1.5, 1.2e9, 6_000_000, 3_000_000),
    ("reduce(float const *, float*, int)", 0.25, 3.0e7, 2_000_000, 1_000),
    ("nbody(float4*, float4 const *, int)", 20.0, 9.0e10, 400_000, 100_000),
    ("transpose(float*, float const *, int, int)", 0.6, 0, 3_000_000, 3_000_000),
]
IDLE = 60.0
def power(k): return IDLE + (30e-12 * k[2] + 100e-12 * 32 * (k[3] + k[4])) / (k[1] * 1e-3)
head = '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","Device","Context","Stream","Name"\nms,ms,,,,,,,,KB,B,MB,GB/s,,,,\n'
pre = "==4242== NVPROF is profiling process 4242, command: ./seven\n==4242== Profiling application: ./seven\n==4242== Profiling result:\n"
rows, t, spans, n = [], 410.0, [], 100
rows.append('402.100000,1.028854,,,,,,,,,,4.000000,3.796700,"GeForce GTX 1080 Ti (0)","1","7","[CUDA memcpy HtoD]"')
for k in KERNELS:
    start = t
    while t < start + 1500:
        rows.append(f'{t:.6f},{k[1]:.6f},1024,1,1,256,1,1,32,0.000000,0,,,"GeForce GTX 1080 Ti (0)","1","7","{k[0]} [{n}]"')
        t += k[1] + 0.002; n += 1
    spans.append((start, t, power(k)))
    t += 500
(out / "trace.csv").write_text(pre + head + "\n".join(rows) + "\n")
m = []
for k in KERNELS:
    for name, what, v in (("flop_count_sp", "Floating Point Operations(Single Precision)", k[2] if "axpy<int=256>(int, double" not in k[0] else 0),
                    ("flop_count_dp", "Floating Point Operations(Double Precision)", 0),
                    ("dram_read_transactions", "Device Memory Read Transactions", k[3]), ("dram_write_transactions", "Device Memory Write Transactions", k[4])):
        m.append(f'"GeForce GTX 1080 Ti (0)","{k[0]}",3,"{name}","{what}",{v:.0f},{v:.0f},{v:.0f}')
    m.append(f'"GeForce GTX 1080 Ti (0)","{k[0]}",3,"dram_utilization","Device Memory Utilization","Mid (5)","Mid (5)","Mid (5)"')
    m.append(f'"GeForce GTX 1080 Ti (0)","{k[0]}",3,"dram_read_throughput","Device Memory Read Throughput",180.5GB/s,190.25GB/s,185.1GB/s')
(out / "metrics.csv").write_text(pre.replace("4242","4250").replace("Profiling result:","Profiling result:\n==4250== Metric result:") + '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n' + "\n".join(m) + "\n")
t0 = datetime.datetime(2019, 8, 23, 14, 54, 47, 307000)
p = ["timestamp, power.draw [W], clocks.current.sm [MHz], clocks.current.memory [MHz]"]
end = spans[-1][1] + 1300 + 900
ms = 0
while ms < end:
    at = ms - 1300
    w = next((s[2] for s in spans if s[0] <= at <= s[1]), IDLE)
    p.append(f"{(t0 + datetime.timedelta(milliseconds=ms)).strftime('%Y/%m/%d %H:%M:%S.%f')[:-3]}, {w:.2f} W, 1480 MHz, 5505 MHz")
    ms += 50
(out / "power.csv").write_text("\n".join(p) + "\n")
