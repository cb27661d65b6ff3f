"""PolyBench/C's kernels: how they are built, and what predictions of them are given."""
import json
import subprocess

SCALAR = "-fno-vectorize -fno-slp-vectorize -ffp-contract=off -fno-math-errno -march=x86-64-v2".split()
# Flags, and the snapshot that is held against what such a build executes.
BUILDS = {"O2s": (["-O2", *SCALAR], "algorithm"), "O0": (["-O0", *SCALAR], "source"),
          "v3": (["-O2", "-march=x86-64-v3"], "machine")}


def add_options(parser, root):
    """Arguments that all benchmarks of the suite have."""
    parser.add_argument("source", type=type(root), help="the unpacked suite")
    parser.add_argument("executed", type=type(root), help="a table of what ran (README.md)")
    parser.add_argument("--work", type=type(root), required=True)
    parser.add_argument("--kernels", default="", metavar="A,B,…")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--ergon", default=root / "build/bin/ergon")
    parser.add_argument("--plugin", default=root / "build/lib/ErgonPasses.so")


def entry(row):
    return "kernel_" + row["kernel"].replace("-", "_")


def build(options, row, name):
    """The program and the record of one kernel at one size."""
    folder = options.work / f"{row['kernel']}-{row['dataset']}-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ergon.json"):
        old.unlink()
    [file] = options.source.glob(f"**/{row['kernel']}/{row['kernel']}.c")
    flags, snapshot = BUILDS[name]
    subprocess.run([options.clang, *flags, "-fno-inline", "-gdwarf-4", "-no-pie", f"-D{row['dataset']}_DATASET",
                    "-I", options.source / "utilities", f"-fpass-plugin={options.plugin}", "-mllvm", f"-ergon-dir={folder}",
                    "-mllvm", f"-ergon-snapshots={snapshot}", file, options.source / "utilities/polybench.c", "-lm",
                    "-o", folder / "program"], check=True)
    return folder


def predict(options, row, folder, *more):
    """The prediction of the kernel with the row's parameters, and the exit status."""
    shown = json.loads(subprocess.run([options.ergon, "show", folder, "--function", entry(row), "--json"], capture_output=True,
                                      text=True, check=True).stdout)
    # The optimizer drops a parameter of which there is only one value.
    names = {each["name"] for each in shown["functions"][0]["params"]}
    sets = [word for each in row["params"].lower().split(";") if each.split("=")[0] in names for word in ("--set", each)]
    done = subprocess.run([options.ergon, "predict", folder, "--entry", entry(row), "--json", *sets, *more], capture_output=True,
                          text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{row['kernel']}: {done.stderr}")
    return json.loads(done.stdout)
