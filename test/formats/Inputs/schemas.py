#!/usr/bin/env python3
"""Holds documents, and their readers, to the schemas: needs python3-jsonschema.

schemas.py ROOT check FILE…          each document fits the schema that it names, and no longer does with a
                                     key that no schema has, or without one that its schema requires
schemas.py ROOT reader FILE -- CMD…  CMD, in which {} is a document's path, ends with 2 just where the schema refuses
                                     the document: FILE, and FILE with each object's key removed, of a wrong type, or one added
schemas.py ROOT cover                every format that sources write has a schema, every key of a schema its words
"""
import base64
import copy
import functools
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

NO_KEY = "no such key"
# The answers of the program in the report's page to the page.
INSIDE = {"ergon-report/1"}
DATA = ("machine-profiles", "library-costs", "applications", "examples/scenarios")


@functools.cache
def schemas(root):
    """(path, schema) by format, `ergon-lint/1`."""
    paths = [*sorted((root / "formats/schemas").glob("*.json")), *(root / folder / "schema.json" for folder in DATA)]
    found = {}
    for path in paths:
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        found[schema["properties"]["schema"]["const"]] = (path, schema)
    return found


def validator(root, document):
    return jsonschema.Draft202012Validator(schemas(root)[document["schema"]][1])


def objects(value, path=()):
    """Paths of all objects in a document."""
    if isinstance(value, dict):
        yield path
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(each, (*path, key))


def load(name):
    """A document; of a report's page, its data."""
    text = pathlib.Path(name).read_text()
    data = re.search(r'<script type="text/plain" id="ergon-data">(.*?)</script>', text, re.S)
    return json.loads(gzip.decompress(base64.b64decode(data[1])) if data else text)


def changed(document, path, change):
    result = copy.deepcopy(document)
    place = result
    for key in path:
        place = place[key]
    change(place)
    return result


def without(document, path, key):
    """The member removed; of a record's function its details too, which are of all its loops."""
    result = changed(document, path, lambda of: of.pop(key))
    if "body" in path:
        result["functions"][path[1]].pop("details", None)
    return result


def variants(document):
    """(what was done, document) with a key too many in each object, each key removed, and each value of a wrong type; of equal places the first."""
    seen = set()
    for path in objects(document):
        kind = [key for key in path if isinstance(key, str)][-2:]
        place = document
        for key in path:
            place = place[key]
        where = "/".join(map(str, ("", *path)))
        for key in (NO_KEY, *place):
            if (*kind, key) in seen:
                continue
            seen.add((*kind, key))
            if key == NO_KEY:
                yield f"{where}: added", changed(document, path, lambda of: of.update({NO_KEY: 0}))
            else:
                yield f"{where}/{key}: removed", without(document, path, key)
                yield f"{where}/{key}: [[]]", changed(document, path, lambda of, key=key: of.update({key: [[]]}))


def check(root, files):
    wrong, formats = 0, set()
    for name in files:
        document = load(name)
        against = validator(root, document)
        errors = sorted(against.iter_errors(document), key=lambda error: list(map(str, error.absolute_path)))
        for error in errors[:8]:
            print(f"{name}: /{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
        kept = [key for key in against.schema["required"] if against.is_valid({k: v for k, v in document.items() if k != key})]
        if against.is_valid({**document, NO_KEY: 0}):
            kept.append(NO_KEY)
        if kept:
            print(f"{name}: its schema does not care about {kept}")
        wrong += bool(errors or kept)
        formats.add(document["schema"])
    print(f"{len(files) - wrong} of {len(files)} documents fit, {len(formats)} formats")
    return bool(wrong)


def reader(root, name, command):
    document = load(name)
    against = validator(root, document)
    wrong = refused = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, pathlib.Path(name).name)
        for what, each in (("as it is", document), *variants(document)):
            path.write_text(json.dumps(each))
            done = subprocess.run([part.replace("{}", str(path)).replace("{folder}", folder) for part in command],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            tried += 1
            refused += done.returncode == 2
            if (done.returncode == 2) == against.is_valid(each):
                wrong += 1
                print(f"{name}: {what}: the schema {'accepts' if against.is_valid(each) else 'refuses'} it, "
                      f"exit status {done.returncode} {done.stderr.strip()}")
    print(f"{tried - wrong} of {tried} documents as the schema says, {refused} refused")
    return bool(wrong)


def undescribed(schema, path, root):
    """Properties without a description, of their own or of what they refer to."""
    for key, each in schema.get("properties", {}).items():
        target = root["$defs"][each["$ref"].rpartition("/")[2]] if "$ref" in each else {}
        if "description" not in {**target, **each}:
            yield f"{path}/{key}"
    for key in ("properties", "$defs"):
        for name, each in schema.get(key, {}).items():
            yield from undescribed(each, f"{path}/{name}", root)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from undescribed(schema[key], f"{path}/{key}", root)
    for key in ("oneOf", "anyOf"):
        for each in schema.get(key, []):
            yield from undescribed(each, f"{path}/{key}", root)


def cover(root):
    found = schemas(root)
    written = set()
    for folder in ("formats", "tools", "report", "runtime", "passes", "calibration", "verification", "simulation"):
        for path in (root / folder).rglob("*"):
            if path.suffix in (".cpp", ".h") and "node_modules" not in path.parts:
                written |= set(re.findall(r'"(ergon-[a-z-]+/[0-9]+)"', path.read_text()))
    for name in sorted(written - set(found) - INSIDE):
        print(f"{name}: no schema")
    for name in sorted((set(found) | INSIDE) - written):
        print(f"{name}: nobody writes or reads it")
    bare = [f"{path.relative_to(root)}: {place} has no description" for path, schema in found.values() for place in undescribed(schema, "", schema)]
    print("\n".join(bare))
    print(len(found), "schemas")
    return bool((set(found) | INSIDE) ^ written or bare)


def main():
    root, mode = pathlib.Path(sys.argv[1]), sys.argv[2]
    if mode == "check":
        return check(root, sys.argv[3:])
    if mode == "reader":
        return reader(root, sys.argv[3], sys.argv[5:])
    return cover(root)


if __name__ == "__main__":
    sys.exit(main())
