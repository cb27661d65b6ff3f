"""Runs what docs/ci says: ci.py DOCS_CI ERGON_BUILD FOLDER"""

import os
import pathlib
import shutil
import subprocess
import sys

import yaml

docs, build, folder = (pathlib.Path(each) for each in sys.argv[1:])
environment = os.environ | {
    "PATH": f"{build}/bin:{os.environ['PATH']}", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
GOOD = "float scale(float x) { return x * 2; }\n"
BAD = "float scale(float x) { return x * 0.1; }\n"


def run(command, where, expected=0):
    """What a shell prints; ends the test where the exit status is another."""
    done = subprocess.run(["bash", "-e", "-c", command], cwd=where, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if (done.returncode != 0) != (expected != 0):
        sys.exit(f"{command}\nexit status {done.returncode} in {where}:\n{done.stdout}")
    return done.stdout


def project(name, cmake):
    where = folder / name
    where.mkdir()
    (where / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(Sample C)\n{cmake}")
    (where / "scale.c").write_text(GOOD)
    return where


def check_workflow():
    steps = yaml.safe_load((docs / "github-workflow.yml").read_text())["jobs"]["cost"]["steps"]
    commands = {step["name"]: step["run"] for step in steps if "run" in step}
    where = project("workflow", "add_library(scale STATIC scale.c)\n")
    run(commands["Record"] + "ergon lint records --write-baseline ergon-baseline.json", where)
    run(commands["Lint"], where)
    run(commands["Report"], where)
    assert "<html" in (where / "report.html").read_text(), "the report is no page"
    shutil.rmtree(where / "build")
    shutil.rmtree(where / "records")
    (where / "scale.c").write_text(BAD)
    run(commands["Record"], where)
    said = run(commands["Lint"], where, expected=1)
    assert "double-promotion" in said, said
    assert "double-promotion" in (where / "lint.sarif").read_text()


def check_hook(name, install, commit="git commit -qm change"):
    where = project(name, "find_package(Ergon REQUIRED)\nadd_library(scale STATIC scale.c)\nergon_enable(scale)\n")
    run(f"cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH={build} -DCMAKE_C_COMPILER=clang-22 "
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build build && "
        "ergon lint build/ergon-records --write-baseline ergon-baseline.json && "
        "printf 'build\\n' > .gitignore && git init -q && git add . && git commit -qm first", where)
    install(where)
    (where / "scale.c").write_text(GOOD + "\n")
    run("git add . && " + commit, where)
    (where / "scale.c").write_text(BAD)
    said = run("git add . && " + commit, where, expected=1)
    assert "double-promotion" in said, said


def plain_hook(where):
    shutil.copy(docs / "pre-commit", where / ".git" / "hooks" / "pre-commit")


def hook_of_pre_commit(where):
    """The entry of the configuration as the hook; pre-commit itself, where it is installed, checks the file."""
    hook = yaml.safe_load((docs / "pre-commit-config.yaml").read_text())["repos"][0]["hooks"][0]
    assert hook["language"] == "system" and not hook["pass_filenames"]
    if shutil.which("pre-commit"):
        run(f"pre-commit validate-config {docs}/pre-commit-config.yaml", where)
    script = where / ".git" / "hooks" / "pre-commit"
    script.write_text(f"#!/bin/sh\n{hook['entry']}\n")
    script.chmod(0o755)


check_workflow()
check_hook("plain-hook", plain_hook)
check_hook("pre-commit-hook", hook_of_pre_commit)
