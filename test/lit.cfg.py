# How lit runs the tests of this folder; build/test/lit.site.cfg.py loads it.
#
# Substitutions                                      Features (REQUIRES: …)
#   %clang %clangxx   clang and clang++ 22             cuda       clang compiles a kernel with the toolkit
#   %opt              opt with the plugin loaded       gpu        an NVIDIA GPU is there
#   %plugin           ErgonPasses.so                   thrust     the toolkit has Thrust's headers
#   %ergon            the command                      valgrind   (the oracle needs it)
#   %ergon_rt         libergon_rt.so                   %ergon_build      where all was built
#   %one_line         test/command/Inputs/one_line.py: STATUS COMMAND…, which says one line
#   %warp_requests    test/kernels/Inputs/warp_requests.cpp
#   %kernels          test/calibration/Inputs/kernels.cpp   %gpu_table   gpu_table.cpp, there too
#   %workloads        test/verification/Inputs/workloads.cpp
#   %answer           test/report/Inputs/answer.cpp
#   %oracle           test/oracle/executed_counts.py   eigen      Eigen's headers
#   %traffic_oracle   test/oracle/executed_traffic.py
#   %python           Debian's python3                 flang      flang 22
#   %ergon_source     the top of the source tree       csmith, ccache, meson, zsh, fish, whole-build
#   %other_clang      a clang that is not 22           other-clang   (Debian's own is 14)
#                                                      x86_64     the machine that tests run on
#   %openmp           the OpenMP runtime, a library    openmp
#   %mpi_flags        Open MPI's headers and library   mpi
#   %mpirun           for several ranks on this machine
#   %mpi_sent         test/runtime/Inputs/mpi_sent.py
#   %rt_flags         flags to compile and link with it
#   %sarif_multitool  the validator of SARIF's authors sarif-multitool
#   %mkdocs           makes a site of docs/            mkdocs
#   %node             Node.js                          chromium
#   %page_packages    what npm fetched for the report's page     page   that page was built
#   %run_records %same   test/runtime/Inputs/run_records.py, same.py
#   %fits_schema FILE…   %agrees_with_schema FILE -- COMMAND…   test/formats/Inputs/schemas.py
#   %ptxas %cuda_flags %cuda_libs %thrust_flags %eigen_flags %flang
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(config.ergon_source, "test", "support"))
import turns

config.name = "ergon"
config.test_format = turns.ShTest(config.test_exec_root, execute_external=False)
config.suffixes = [".ll", ".c", ".cu", ".test"] # .cpp: GoogleTest, lit.unit.site.cfg.py.in
# Inputs: files that tests read.
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.ergon_source, "test")

clang = os.path.join(config.llvm_tools, "clang")
clangxx = os.path.join(config.llvm_tools, "clang++")
# Debian's, which has the modules that the packages install; another may stand before it on the PATH.
python = "/usr/bin/python3"

# FileCheck, not, split-file, opt and llvm-* of the right version come first.
config.environment["PATH"] = os.pathsep.join([config.llvm_tools, os.environ.get("PATH", "")])
config.environment["LC_ALL"] = "C.UTF-8"
# The profile that somebody's `ergon calibrate` left at home is not for the tests; this folder is never made.
config.environment["XDG_DATA_HOME"] = os.path.join(config.test_exec_root, "no-profiles")


def headers(*folders, file):
    """The first folder that holds the header `file`."""
    return next((folder for folder in folders if os.path.exists(os.path.join(folder, file))), None)


def cuda_flags():
    """The flags that compile CUDA here; None where a kernel does not compile with them."""
    script = os.path.join(config.ergon_source, "scripts", "cuda-flags.sh")
    found = subprocess.run([script], capture_output=True, text=True)
    if found.returncode:
        return None
    with tempfile.TemporaryDirectory() as folder:
        kernel = pathlib.Path(folder, "kernel.cu")
        kernel.write_text("__global__ void fill(int *X) { X[threadIdx.x] = 1; }\n")
        tried = subprocess.run([clangxx, *found.stdout.split(), "-c", kernel, "-o", os.devnull],
                               capture_output=True, text=True)
    if tried.returncode:
        lit_config.note(f"CUDA tests are left out, a kernel does not compile: {tried.stderr.strip()}")
        return None
    return found.stdout.strip()


def has_gpu():
    if not shutil.which("nvidia-smi"):
        return False
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True)
    return listed.returncode == 0 and "GPU " in listed.stdout


cuda = cuda_flags()
if cuda:
    config.available_features.add("cuda")
    toolkit = cuda.split()[0].removeprefix("--cuda-path=")
    # CUDA 13 keeps Thrust and CUB in a folder of their own.
    thrust = headers(f"{toolkit}/include/cccl", f"{toolkit}/include", file="thrust/reduce.h")
    if thrust:
        config.available_features.add("thrust")
        config.substitutions.append((r"%thrust_flags\b", f"{cuda} -isystem {thrust}"))
    config.substitutions.append((r"%cuda_flags\b", cuda))
    config.substitutions.append((r"%ptxas\b", f"{toolkit}/bin/ptxas"))
    libraries = f"{toolkit}/lib64"
    config.substitutions.append(
        (r"%cuda_libs\b", f"-L{libraries} -Wl,-rpath,{libraries} -lcudart"))
if has_gpu():
    config.available_features.add("gpu")
config.available_features.add(platform.machine())
separate_runs = os.path.join(config.ergon_build, "test", "tools", "libergon_separate_runs.so")
if shutil.which("valgrind") and shutil.which("objdump") and os.path.exists(separate_runs):
    config.available_features.add("valgrind")
eigen = headers("/usr/include/eigen3", "/usr/local/include/eigen3", file="Eigen/Dense")
if eigen:
    config.available_features.add("eigen")
    config.substitutions.append((r"%eigen_flags\b", f"-isystem {eigen}"))
flang = shutil.which("flang-22")
if flang:
    config.available_features.add("flang")
    config.substitutions.append((r"%flang\b", flang))
openmp = next((path for path in ("/usr/lib/x86_64-linux-gnu/libomp.so.5", "/usr/lib/x86_64-linux-gnu/libomp5.so")
               if os.path.exists(path)), None)
if openmp:
    config.available_features.add("openmp")
    config.substitutions.append((r"%openmp\b", openmp))
def mpi_flags():
    """The flags that compile and link a C program for Open MPI; None where that is not here."""
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        return None
    found = [subprocess.run(["mpicc", f"-showme:{what}"], capture_output=True, text=True) for what in ("compile", "link")]
    return " ".join(one.stdout.strip() for one in found) if not any(one.returncode for one in found) else None


mpi = mpi_flags()
if mpi and os.path.exists(os.path.join(config.ergon_build, "lib", "libergon_mpi.so")):
    config.available_features.add("mpi")
    config.substitutions += [
        (r"%mpi_flags\b", mpi),
        (r"%mpirun\b", "mpirun --allow-run-as-root --oversubscribe --bind-to none"),
        (r"%mpi_sent\b", f"{python} {config.ergon_source}/test/runtime/Inputs/mpi_sent.py")]
other_clang = shutil.which("clang-14")
if other_clang:
    config.available_features.add("other-clang")
    config.substitutions.append((r"%other_clang\b", other_clang))
page_packages = os.path.join(config.ergon_build, "report", "page", "node_modules")
node = shutil.which("node")
if node and all(os.path.exists(os.path.join(config.ergon_build, "share", "ergon", "report", part))
                for part in ("page.html", "report.wasm")):
    config.available_features.add("page")
    config.substitutions += [(r"%node\b", node), (r"%page_packages\b", page_packages)]
multitool = os.path.join(config.ergon_build, "test", "packages", "node_modules", "@microsoft",
                         "sarif-multitool-linux", "Sarif.Multitool")
if os.path.exists(multitool):
    config.available_features.add("sarif-multitool")
    os.chmod(multitool, 0o755)
    config.substitutions.append(
        (r"%sarif_multitool\b", f"env DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 {multitool}"))
schemas = f"{python} {config.ergon_source}/test/formats/Inputs/schemas.py {config.ergon_source}"
config.substitutions += [(r"%fits_schema\b", f"{schemas} check"), (r"%agrees_with_schema\b", f"{schemas} reader")]
mkdocs = shutil.which("mkdocs")
if mkdocs:
    config.available_features.add("mkdocs")
    config.substitutions.append((r"%mkdocs\b", mkdocs))
if shutil.which("chromium"):
    config.available_features.add("chromium")
for program in ("csmith", "ccache", "meson", "zsh", "fish"):
    if shutil.which(program):
        config.available_features.add(program)

ergon = os.path.join(config.ergon_build, "bin", "ergon")
for name, value in (
    ("clangxx", clangxx),
    ("clang", clang),
    ("opt", f"{config.llvm_tools}/opt -load-pass-plugin={config.ergon_plugin}"),
    ("plugin", config.ergon_plugin),
    ("one_line", f"{python} {config.ergon_source}/test/command/Inputs/one_line.py"),
    ("ergon_source", config.ergon_source),
    ("ergon_build", config.ergon_build),
    ("ergon", ergon),
    ("ergon_rt", os.path.join(config.ergon_build, "lib", "libergon_rt.so")),
    ("warp_requests", os.path.join(config.ergon_build, "test", "tools", "ergon_warp_requests")),
    ("kernels", os.path.join(config.ergon_build, "test", "tools", "ergon_kernels")),
    ("workloads", os.path.join(config.ergon_build, "test", "tools", "ergon_workloads")),
    ("answer", os.path.join(config.ergon_build, "test", "tools", "ergon_answer")),
    ("gpu_table", os.path.join(config.ergon_build, "test", "tools", "ergon_gpu_table")),
    ("traffic_oracle", f"{python} {config.ergon_source}/test/oracle/executed_traffic.py"),
    ("oracle", f"{python} {config.ergon_source}/test/oracle/executed_counts.py"),
    ("rt_flags", f"-I{config.ergon_source}/runtime -L{config.ergon_build}/lib "
                 f"-Wl,-rpath,{config.ergon_build}/lib -lergon_rt -pthread"),
    ("run_records", f"{python} {config.ergon_source}/test/runtime/Inputs/run_records.py"),
    ("same", f"{python} {config.ergon_source}/test/runtime/Inputs/same.py"),
    ("python", python),
):
    config.substitutions.append((rf"%{name}\b", value))

# A missing program must be one clear line, not a failure of each test.
# `ergon record` looks for the plugin beside itself; the preset asan has none there.
if not os.path.exists(os.path.join(os.path.dirname(ergon), "..", "lib", "ErgonPasses.so")):
    config.environment["ERGON_PLUGIN"] = config.ergon_plugin
else:
    config.available_features.add("whole-build")  # one that can be installed
for program in (ergon, config.ergon_plugin):
    if not os.path.exists(program):
        lit_config.fatal(f"{program} is not there: build it first")
