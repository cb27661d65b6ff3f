"""Calibrates a GPU that is none (gpu_stub.cpp): gpu_calibrate.py ERGON STUB FOLDER CASE

What it costs is known, and the profile must say so."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ergon, stub, folder, case = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]

# class: units a second, joules a unit
PRICES = {
    "flops_f16": (4e12, 1e-11), "fma_f16": (1e13, 2e-12), "flops_f32": (2e12, 2.4e-11), "fma_f32": (1e13, 6e-12),
    "flops_f64": (1e12, 8e-11), "fma_f64": (1e13, 2e-11), "div_f32": (1e11, 1.8e-10), "div_f64": (3e10, 1e-9),
    "sqrt_f32": (9e10, 1.6e-10), "sqrt_f64": (2e10, 1.2e-9), "special_f32": (2.5e11, 1e-10),
    "int_ops": (1.5e12, 1.4e-11), "int_mul": (7e11, 3e-11), "int_div": (2e10, 6e-10),
    "flops_matrix_f16": (3e13, 4e-12), "flops_matrix_bf16": (2.5e13, 4.4e-12), "flops_matrix_tf32": (1.2e13, 8e-12),
    "flops_matrix_f64": (2e12, 6e-11), "flops_matrix_i8": (6e13, 2e-12),
    "load_bytes_shared": (3e12, 4e-11), "store_bytes_shared": (3e12, 4e-11),
    "load_bytes_global": (2e12, 8e-11), "store_bytes_global": (2.2e12, 1e-10),
    "bytes_l2": (1e12, 2e-10), "bytes_dram": (2e11, 1.2e-9), "h2d_bytes": (2e10, 0), "d2h_bytes": (2.5e10, 0),
    "d2d_bytes": (1e11, 0), "blocks": (2e6, 0), "l1_lines": (3e9, 0),
    # Of one thread: cycles at 1.5 GHz.
    "waits_shared": (1.5e9 / 30, 0), "waits_l1": (1.5e9 / 40, 0), "waits_l2": (1.5e9 / 280, 0), "waits_dram": (1.5e9 / 600, 0),
}
IDLE_W, ACTIVE_W, LAUNCH_S, CLOCK_HZ = 30, 20, 3e-6, 1.5e9

prices = folder / "prices.txt"
prices.write_text("".join(f"{name} {rate!r} {joules!r}\n" for name, (rate, joules) in PRICES.items()) +
                  f"idle_w {IDLE_W}\nactive_w {ACTIVE_W}\nlaunch_s {LAUNCH_S}\nclock_hz {CLOCK_HZ}\n")
image = folder / "image"
image.write_text("what the stub does not look at")
environment = dict(os.environ, ERGON_CUDA_LIBRARY=stub, ERGON_NVML_LIBRARY=stub, ERGON_CUDA_IMAGE=str(image),
                   GPU_STUB_PRICES=str(prices))


def command(*words):
    return [ergon, "calibrate", "--gpu", *words]


def without_progress(text):
    return re.sub(r"(?m)^calibrate: \d+ of \d+ probes(, about \d+ s left)? \(.*\)\n", "", text)


def run(*words, how="", **more):
    """Exit status and texts of the command on a GPU with which that is wrong."""
    environment_now = dict(environment, GPU_STUB=how, LD_PRELOAD=stub, **more)
    done = subprocess.run(command(*words), capture_output=True, text=True, env=environment_now)
    return done.returncode, done.stdout, without_progress(done.stderr)


def good(*words, how="", **more):
    status, out, err = run(*words, how=how, **more)
    assert status == 0 and not err, (words, status, err)
    return out


def near(value, wanted, share, what):
    assert abs(value / wanted - 1) <= share, f"{what}: {value:g}, not {wanted:g}"


def interval(profile, name):
    """Half the width of 95 %, relative."""
    together = profile["fit"]["covariance"]
    k = together["coefficients"].index(name)
    return 1.96 * together["relative"][k][k] ** 0.5


def prices_come_back():
    path = folder / "stub.json"
    (folder / "shown.json").write_text(good("-o", path, "--json"))
    shown = json.loads((folder / "shown.json").read_text())
    profile = json.loads(path.read_text())
    assert profile["kind"] == "gpu" and profile["device"]["multiprocessors"]["value"] == 2
    assert profile["caches"][-1]["bytes"] == 512 << 10 and profile["settings"][0]["core_mhz"] == 1500
    # A launch takes some µs of the ten ms; so do the first words of a kernel.
    for name, (rate, _) in PRICES.items():
        if name in ("fma_f16", "fma_f32", "fma_f64", "load_bytes_shared", "store_bytes_shared", "store_bytes_global",
                    "h2d_bytes", "d2h_bytes", "d2d_bytes") or name.startswith("waits_"):
            continue
        share = 0.035 if name == "int_ops" else 3e-3 + interval(profile, f"throughput.{name}")
        near(profile["throughput"][name]["per_s"]["value"], rate, share, name)
    near(profile["throughput"]["bytes_shared"]["per_s"]["value"], 3e12, 2e-3, "bytes_shared")
    near(profile["throughput"]["fma_f32"]["per_s"]["value"], 1e12, 2e-3, "a fused operation is two flops")
    near(profile["throughput"]["launches"]["per_s"]["value"], 1 / LAUNCH_S, 3e-3, "launches")
    near(profile["throughput"]["h2d_bytes"]["per_s"]["value"], 2e10, 0.01, "h2d_bytes")
    near(profile["throughput"]["h2d_copies"]["per_s"]["value"], 1 / LAUNCH_S, 3e-3, "h2d_copies")
    # Joules. Of whole numbers in streams the stub does not charge the loops' own.
    for name, (_, joules) in PRICES.items():
        if name.endswith("_bytes_shared") or "2" in name.split("_")[0] or joules == 0:
            continue
        # Of bytes, midway between random data and zeros, of which the stub charges three quarters.
        wanted = joules * (0.875 if "bytes" in name else 1)
        share = 0.02 + min(0.1, 2 * interval(profile, f"energy.{name}"))
        near(profile["energy"][name]["j"]["value"], wanted, share, f"energy of {name}")
    near(profile["energy"]["bytes_shared"]["j"]["value"], 0.875 * 4e-11, 0.03, "energy of bytes_shared")
    near(profile["energy"]["other_instructions"]["j"]["value"], PRICES["int_ops"][1], 0.1, "energy of other instructions")
    # A walk has an address of 6 cycles between its loads, for which the stub charges nothing.
    for level, cycles in (("shared", 30), ("l1", 40), ("l2", 280), ("dram", 600)):
        near(profile["device"]["latency_cycles"][level]["value"], cycles - 6, 0.02, f"latency of {level}")
    near(profile["throughput"]["issue_sfu"]["per_s"]["value"], PRICES["special_f32"][0], 3e-3, "issue_sfu")
    near(profile["throughput"]["warp_instructions"]["per_s"]["value"], 4 * 2 * CLOCK_HZ, 1e-9, "warp_instructions")
    near(profile["throughput"]["latency_cycles"]["per_s"]["value"], CLOCK_HZ, 1e-9, "latency_cycles")
    near(profile["constant_power"]["misc_w"]["value"], IDLE_W + ACTIVE_W, 0.03, "constant power")
    near(shown["idle_w"]["before"], IDLE_W, 0.01, "idle power")
    near(shown["idle_w"]["after"], IDLE_W, 0.01, "idle power")
    assert profile["fit"]["energy_error"]["value"] < 0.02
    assert all(abs(each["predicted_s"] / each["measured_s"] - 1) < 0.03 for each in shown["mixed"]) and len(shown["mixed"]) == 10
    assert profile["byte_energy"]["paid"] == "at_each_level"
    # Zeros: three quarters of what is not constant.
    assert len(shown["zeros"]) > 20 and all(0.75 < each["power_share"] < 0.97 for each in shown["zeros"]), shown["zeros"]
    assert not shown["wide"] and not shown["unmeasured"] and not shown["not_beyond_l2"], shown
    done = subprocess.run([ergon, "machine", "check", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    fitted = subprocess.run([ergon, "fit", folder / "stub.samples.csv", "-o", folder / "fitted.json", "--kind", "gpu", "--time"],
                            capture_output=True, text=True)
    assert fitted.returncode == 0, fitted.stderr
    transfers = (folder / "stub.transfers.samples.csv").read_text()
    assert "copy-h2d,1500" in transfers and "launch,1500" in transfers
    print(f"{len(shown['probes'])} probes, prices come back")


def goes_on():
    path, part = folder / "on.json", folder / "on.samples.csv.part"
    words = ("-o", path, "--quick", "--only", "*-f32")
    running = subprocess.Popen(command(*words), env=dict(environment, LD_PRELOAD=stub), stderr=subprocess.PIPE, text=True)
    while running.poll() is None and (not part.exists() or part.read_text().count("\n") < 3):
        time.sleep(0.001)
    running.send_signal(signal.SIGINT)
    err = without_progress(running.communicate()[1])
    assert running.returncode == -signal.SIGINT, (running.returncode, err)
    assert err == "ergon: interrupted; the same command goes on from here\n", err
    assert not path.exists()
    before = part.read_text().splitlines()
    good(*words)
    after = (folder / "on.samples.csv").read_text().splitlines()
    assert after[:len(before)] == before and len(after) > len(before) and not part.exists()
    # A GPU that falls off the bus leaves what there was.
    path, part = folder / "lost.json", folder / "lost.samples.csv.part"
    status, _, err = run("-o", path, "--only", "*-f32", how="lost")
    assert status == 2 and err.count("\n") == 1 and "unspecified launch failure" in err, err
    assert not path.exists() and part.read_text().count("\n") > 1
    # Samples at another clock are not mixed.
    text = part.read_text().replace(",1500,", ",1800,")
    part.write_text(text)
    status, _, err = run("-o", path, "--only", "*-f32")
    assert status == 2 and "has samples taken at 1800 MHz, and the core runs at 1500 now" in err, err
    print("interrupted, and gone on from")


def meters():
    path = folder / "meter.json"
    words = ("-o", path, "--quick", "--only", "f*-f32")
    text = good(*words, how="nometer")
    profile = json.loads(path.read_text())
    assert "no energies, times alone: Driver Not Loaded" in text, text
    assert not profile["energy"] and "constant_power" not in profile and profile["throughput"]["flops_f32"]
    near(profile["throughput"]["flops_f32"]["per_s"]["value"], 2e12, 3e-3, "flops_f32 without a meter")
    assert "The time half" in profile["description"]
    # Power in the place of a counter.
    (folder / "power").mkdir(exist_ok=True)
    shown = json.loads(good("-o", folder / "power" / "m.json", "--only", "fma-f32*", "--json", how="power"))
    by = {each["name"]: each["power_w"]["value"] for each in shown["probes"]}
    # Two flops each, 64 of these between two whole-number operations of the loop.
    near(by["fma-f32"], IDLE_W + ACTIVE_W + 1e12 * (2 * 2.4e-11 + 6e-12 + 2 / 64 * 1.4e-11), 0.01, "power")
    print("meters")


def disturbed():
    shown = json.loads(good("-o", folder / "t.json", "--quick", "--only", "*-f16", "--json", how="throttle=matrix_f16"))
    # Slowed down in long bursts, it is measured in short ones, which have no power.
    assert not shown["unmeasured"] and shown["held_down_by"] == {"power cap": 3}, shown
    assert [*shown["time_alone"]] == ["matrix-f16"], shown["time_alone"]
    assert not any("power_w" in each for each in shown["probes"] if each["name"].startswith("matrix"))
    profile = json.loads((folder / "t.json").read_text())
    near(profile["throughput"]["flops_matrix_f16"]["per_s"]["value"], 3e13, 0.01, "flops_matrix_f16")
    assert "flops_matrix_f16" not in profile["energy"]
    shown = json.loads(good("-o", folder / "c.json", "--quick", "--only", "[fam]*-f32", "--json", how="moves"))
    assert shown["dropped"]["clock_moved"] > 0, shown["dropped"]
    status, _, err = run("-o", folder / "b.json", "--only", "*f32", how=" ".join("throttle=" + each for each in ("fma_f32", "add_f32", "mul_f32", "div_f32")))
    assert status == 2 and err.count("\n") == 1, err
    assert re.search(r"the GPU does not keep its clock: \d+ of \d+ samples dropped, 0 with a clock that moved, "
                     r"\d+ held down by power cap; stop what else runs on it", err), err
    print("disturbed")


def refused():
    def says(text, *words, how="", **more):
        status, out, err = run(*words, how=how, **more)
        assert status == 2 and not out and err.count("\n") == 1 and text in err, (text, status, err)

    output = ("-o", folder / "refused.json")
    says("--gpu: CUDA: no CUDA-capable device is detected; this needs an NVIDIA GPU", *output, how="nodevice")
    says("--gpu: there is no GPU 3: CUDA has 1; count from 0", "--device", "3", *output)
    says("--gpu: CUDA's driver cannot be loaded: ", *output, ERGON_CUDA_LIBRARY="/absent/libcuda.so")
    says("/absent/libcuda.so", *output, ERGON_CUDA_LIBRARY="/absent/libcuda.so")
    says("libm.so.6 has no cuInit: it is no driver of CUDA 11 or later", *output, ERGON_CUDA_LIBRARY="libm.so.6")
    says("/absent.fatbin: is not there: this ergon was built without a CUDA toolkit; build it with one", *output,
         ERGON_CUDA_IMAGE="/absent.fatbin")
    says("--gpu: loading the kernels: no kernel image is available for execution on the device; build Ergon with a "
         "CUDA toolkit that knows this GPU, or take a newer driver", *output, how="image")
    says("--gpu: allocating memory: out of memory; free the GPU's memory", *output, how="full")
    says('--only: "nothing*" fits no probe; see `ergon calibrate --gpu --dry-run`', "--only", "nothing*", *output)
    says("-o: is wanted", "--only", "fma-f32")
    says("absent/m.samples.csv.part: cannot be written: No such file", "-o", folder / "absent" / "m.json", "--only", "fma-f32")
    assert not list(folder.glob("refused*"))
    # What a GPU has not, or has no room for, is left out and said.
    table = json.loads(good("--dry-run", "--json", how="old memory"))
    assert "matrix_bf16: this GPU has no such instructions" in table["left_out"], table["left_out"]
    assert any(re.fullmatch(r"load in dram: data of 8 MiB are needed, and only 1 MiB of the GPU's memory are free", each)
               for each in table["left_out"]), table["left_out"]
    assert not any("dram" in each["name"] for each in table["probes"])
    # Data of main memory are many times what L2 holds.
    table = json.loads(good("--dry-run", "--json"))
    assert table["schema"] == "ergon-probes/1" and table["expected_s"] > 0
    far = [each for each in table["probes"] if each["name"].endswith("dram")]
    assert far and all(each["bytes"] >= 16 * (512 << 10) for each in far), far
    text = good("--dry-run")
    assert re.search(r"^fma-f32 +flops_f32=\d+ fma_f32=\d+", text, re.MULTILINE) and "probes, with what a launch" in text
    print("refused")


{"prices": prices_come_back, "resume": goes_on, "meters": meters, "disturbed": disturbed, "refused": refused}[case]()
