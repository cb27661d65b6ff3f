#!/usr/bin/env python3
"""Holds the schemas of shipped data to the same files as their loaders: schema_test.py DATA TESTS

DATA/schema.json must accept every shipped and every good document, and those whose numbers alone
cannot be, and refuse every bad one, but for those no schema can refuse. TESTS has files, and lists of
cases (cases.py). test/formats/profile/ProfileFormatTest.cpp, ScenarioFormatTest.cpp, LibraryFormatTest.cpp and
ApplicationFormatTest.cpp hold the loaders to them. Needs python3-jsonschema."""

import json
import math
import pathlib
import sys

import cases
import jsonschema

DATA, TESTS = (pathlib.Path(argument) for argument in sys.argv[1:])

# What is wrong in these follows from two places of the document at once, or is lost before a
# validator sees the document.
BEYOND_A_SCHEMA = {
    "machine-profiles": {
        "unlisted-source": "the keys of one object name members of another",
        "unlisted-source-of-setting": "the keys of one object name members of another",
        "equal-settings": "uniqueness by two of an object's members",
        "default-not-listed": "equal to a part of an array's element",
        "default-ambiguous": "equal to a part of exactly one array element",
        "setting-without-voltage": "a coefficient decides what settings need",
        "setting-without-clock": "a coefficient decides what settings need",
        "leakage-without-settings": "a coefficient decides what settings need",
        "cap-below-constant-power": "compares two numbers",
        "domain-power-at-no-setting": "a value of one array among those of another",
        "domain-power-twice": "uniqueness by two of an object's members",
        "range-reversed": "compares two numbers",
        "unlisted-source-of-peak": "the keys of one object name members of another",
        "equal-keys": "Python's json keeps the last of two equal keys",
        "covariance-of-nothing": "the keys of one object name members of another",
        "covariance-not-square": "compares the lengths of two arrays",
        "covariance-not-symmetric": "compares two numbers",
        "pipeline-outside-interval": "compares three numbers",
        "pipeline-twice": "equal members of two objects",
        "device-unknown-capability": "the list of capabilities is the program's",
        "cache-below-a-line": "compares two numbers",
        "cache-grows-inward": "compares two numbers",
        "cache-lines-disagree": "compares two numbers",
        "cache-sectors": "compares two numbers",
        "cache-twice": "uniqueness by one of an object's members",
        "caches-of-broken-sets": "compares two numbers",
        "caches-of-odd-lines": "no powers of two",
    },
    "library-costs": {
        "unlisted-source": "the keys of one object name members of another",
        "unlisted-table": "the keys of one object name members of another",
        "unlisted-variants": "the keys of one object name members of another",
        "nothing-stands-for": "the keys of one object name members of another",
        "no-parameter": "a text inside of a text",
        "bad-formula": "the grammar of formulas",
        "unknown-class": "the list of classes is the program's",
        "class-twice": "equal keys of two objects",
        "name-twice": "equal texts of the whole document",
        "parameter-twice": "equal members of texts and objects",
        "equal-values": "0xa is 10",
        "nobody-makes": "a text inside of a text",
        "table-formula": "a text inside of a text",
    },
    "applications": {
        "unlisted-source": "the keys of one object name members of another",
        "bad-formula": "the grammar of formulas",
        "unknown-function": "the grammar of formulas",
    },
    "scenarios": {
        "below-idle-power": "a number of another document",
        "below-static-power": "a number of another document",
        "clock-without-machine": "depends on an optional member",
        "copy-to-unknown": "a text inside of another place",
        "energy-falls": "a regression",
        "equal-blocks": "compares numbers",
        "name-twice": "names that follow from names and counts",
        "negative-slope": "a regression",
        "no-idle-power": "a number of another document",
        "no-multiprocessors": "a number of another document",
        "no-network": "phases decide what the document needs",
        "no-record": "another document",
        "record-without-machine": "depends on a member of another place",
        "registers-beyond-limit": "a number of another document",
        "root-elsewhere": "an element of another array",
        "shared-beyond-limit": "a number of another document",
        "threads-beyond-limit": "a number of another document",
        "to-itself": "compares two numbers",
        "too-many-messages": "adds up",
        "too-slow": "divides",
        "twice-at-once": "uniqueness by one of an object's members",
        "two-measurements": "a repeated number of blocks does not count",
        "unknown-calibration": "the keys of one object name members of another",
        "unknown-clock": "another document",
        "unknown-gpu": "a text inside of another place",
        "unknown-machine": "another document",
        "unknown-rank": "adds up",
    },
}[DATA.name]


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def finite(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} overflows")
    return number


def accepts(validator, text):
    try:
        document = json.loads(text, parse_constant=refuse_constant, parse_float=finite)
    except ValueError:
        return False
    return validator.is_valid(document)


def documents():
    """(list, name, text) of each document, of files and of cases."""
    for folder, files in (("shipped", DATA), ("good", TESTS / "good"), ("bad", TESTS / "bad")):
        for path in sorted(files.glob("*.json")):
            if path.name != "schema.json":
                yield folder, path.stem, path.read_text()
    for folder, name, document in cases.documents(TESTS):
        yield folder, name, json.dumps(document)


def main():
    schema = json.loads((DATA / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    texts = {(folder, name): text for folder, name, text in documents()}
    wrong = []
    for (folder, name), text in texts.items():
        wanted = folder != "bad" or name in BEYOND_A_SCHEMA
        if accepts(validator, text) != wanted:
            wrong.append(name)
            print(f"{folder}/{name}: schema.json {'refuses' if wanted else 'accepts'} it")
    print(f"{len(texts) - len(wrong)} of {len(texts)} documents as wanted")
    for name in sorted(BEYOND_A_SCHEMA.keys() - {name for _, name in texts}):
        wrong.append(name)
        print(f"{name}: listed in BEYOND_A_SCHEMA, but there is no such document")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
