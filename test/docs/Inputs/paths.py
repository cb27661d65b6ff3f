"""Whether the files and folders that pages name are there: paths.py TREE [PAGE…], by default README, CONTRIBUTING and docs/*.md.

A path stands in backquotes and begins with a folder at the top of the tree, such as `docs/guide.md`; a source's suffix may be left out
(`tools/lint/SourceFiles`), NAME and `*` stand for any name. The name of a source alone, `Machine.h`, must be that of some file of the tree."""
import pathlib
import re
import sys

tree = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "structure"))
from include_directions import LAYERS  # noqa: E402

GENERATED = "docs/formats/"
SKIPPED = ("build", "node_modules", ".")  # how the names of folders start that hold nothing of ours
OUTSIDE = {"mpif.h"}  # sources that are not of this tree

# A layer that is gone is still recognized.
FOLDERS = {path.name for path in tree.iterdir() if path.is_dir() and not path.name.startswith(SKIPPED)} | set(LAYERS)


def is_there(text):
    pattern = re.sub(r"\bNAME\b", "*", text.rstrip("/"))
    return any(True for each in (pattern, pattern + ".*") for _ in tree.glob(each))


def is_source_of_tree(name):
    return name in OUTSIDE or any(next((tree / folder).rglob(name), None) for folder in FOLDERS)


pages = [pathlib.Path(page) for page in sys.argv[2:]] or \
    [tree / "README.md", tree / "CONTRIBUTING.md", *sorted((tree / "docs").glob("*.md"))]
named, wrong = 0, []
for page in pages:
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        for text in re.findall(r"`([\w.*+/-]+)(?::\d+)?`", line):
            if "/" in text:
                if text.split("/")[0] not in FOLDERS or text.startswith(GENERATED):
                    continue
                there = is_there(text)
            elif re.fullmatch(r"\w+[.](h|cpp|cu|py|sh)", text):
                there = is_source_of_tree(text)
            else:
                continue
            named += 1
            if not there:
                wrong.append(f"{page}:{number}: there is no {text}")
print("\n".join(wrong) if wrong else f"{named} paths are there")
sys.exit(1 if wrong else 0)
