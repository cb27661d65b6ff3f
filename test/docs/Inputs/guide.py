"""Does what a guide says: guide.py GUIDE.md FOLDER BIN [with-output]. Files are code blocks after "`NAME`:"; blocks of sh run one after the other in FOLDER, with BIN before the PATH, each stopping at the
first command that fails; a block of text after one is what it prints on its standard output. With `with-output`, those blocks alone run that
have one: others are forms of commands, not examples."""
import os
import pathlib
import re
import subprocess
import sys

guide, folder, programs, *only = sys.argv[1:]
environment = {**os.environ, "PATH": os.pathsep.join([programs, os.environ["PATH"]])}
text = pathlib.Path(guide).read_text()
blocks = re.finditer(r"(?:`(?P<name>[\w.-]+)`:\n\n)?```(?P<kind>\w+)\n(?P<body>.*?)```(?:\n\n```text\n(?P<prints>.*?)```)?", text, re.S)
ran = 0
for block in blocks:
    if block["name"]:
        pathlib.Path(folder, block["name"]).write_text(block["body"])
    elif block["kind"] == "sh" and (block["prints"] is not None or only != ["with-output"]):
        done = subprocess.run(["bash", "-euc", block["body"]], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
        ran += 1
        line = text[:block.start()].count("\n") + 2
        if done.returncode:
            sys.exit(f"{guide}:{line}: exit status {done.returncode}\n{done.stdout}")
        if block["prints"] is not None and done.stdout != block["prints"]:
            sys.exit(f"{guide}:{line}: it prints\n{done.stdout}and the guide says\n{block['prints']}")
print(ran, "blocks of commands")
