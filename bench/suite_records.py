"""Records of a benchmark suite's kernels, and what predictions of them are given."""
import json
import subprocess

BUILDS = ("O2s", "O0", "v3")


def add_options(parser, root):
    """Arguments that all evaluations of a suite have."""
    parser.add_argument("records", type=type(root), help="a folder KERNEL-DATASET-BUILD of records for each row")
    parser.add_argument("executed", type=type(root), help="a table of what ran")
    parser.add_argument("--kernels", default="", metavar="A,B,…")
    parser.add_argument("--ergon", default=root / "build/bin/ergon")


def entry(row):
    """The function that a row is about: its column `entry`, or kernel_NAME."""
    return row.get("entry") or "kernel_" + row["kernel"].replace("-", "_")


def records(options, row):
    folder = options.records / f"{row['kernel']}-{row['dataset']}-{row['build']}"
    if not folder.is_dir():
        raise SystemExit(f"{folder}: no such folder; the table has a row of it")
    return folder


def predict(options, row, *more):
    """The prediction of the kernel with the row's parameters."""
    folder = records(options, row)
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
