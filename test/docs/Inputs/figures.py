"""Looks a page's figures up: figures.py PAGE.md RESULTS. Of each row `| what | figure | measured in |` that names a file of the folder, each number of the figure has to be there."""
import pathlib
import re
import sys

page, results = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
found, wrong = 0, []
for line, row in enumerate(page.read_text().splitlines(), 1):
    for name in re.findall(r"`(2026-[\w-]+[.]md)`", row):
        if not (results / name).exists():
            wrong.append(f"{page}:{line}: there is no {name}")
    cells = re.fullmatch(r"\| .* \| (.*) \| `(2026-[\w-]+[.]md)` \|", row)
    if not cells or not (results / cells[2]).exists():
        continue
    text = re.sub(r"(?<=[0-9]),(?=[0-9]{3}\b)", "", (results / cells[2]).read_text())
    for number in re.findall(r"[+−-]?[0-9.]+", cells[1]):
        found += 1
        if not re.search(rf"(?<![0-9.]){re.escape(number)}(?![0-9]|[.][0-9])", text):
            wrong.append(f"{page}:{line}: {number} is not in {cells[2]}")
print("\n".join(wrong or [f"{found} figures are there"]))
sys.exit(bool(wrong))
