#!/usr/bin/env python3
"""Makes the documents of lists of cases: cases.py TESTS OUT

A case of TESTS/LIST.json says how a document goes wrong: `patch` (JSON Patch, RFC 6902) changes the good
file `base`, and `expected` are the lines then. Where there is `nearly`, it changes the outcome further,
just so much that nothing is wrong. Writes OUT/LIST/NAME.json and OUT/nearly/NAME.json."""

import copy
import json
import pathlib
import sys


def patched(document, patch):
    document = copy.deepcopy(document)
    for step in patch:
        keys = [key.replace("~1", "/").replace("~0", "~") for key in step["path"].split("/")[1:]]
        place, op = document, step["op"]
        for depth, key in enumerate(keys):
            if isinstance(place, list):
                key = len(place) if key == "-" else int(key)
            if depth + 1 < len(keys):
                place = place[key]
        if op == "add" and isinstance(place, list):
            place.insert(key, step["value"])
        elif op in ("add", "replace"):
            place[key] = step["value"]
        elif op == "remove":
            del place[key]
        else:
            raise ValueError(f"{op}: not an operation of the cases")
    return document


def documents(tests):
    """(list or "nearly", name, document) of each case of the folder."""
    for path in sorted(tests.glob("*.json")):
        for case in json.loads(path.read_text()):
            base = json.loads((tests / "good" / f"{case['base']}.json").read_text())
            document = patched(base, case["patch"])
            yield path.stem, case["name"], document
            if "nearly" in case:
                yield "nearly", case["name"], patched(document, case["nearly"])


def main():
    tests, out = (pathlib.Path(argument) for argument in sys.argv[1:])
    for folder, name, document in documents(tests):
        (out / folder).mkdir(parents=True, exist_ok=True)
        (out / folder / f"{name}.json").write_text(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
