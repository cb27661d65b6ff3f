#!/usr/bin/env python3
"""Writes the pages of the formats from their schemas: scripts/format_pages.py [FOLDER]

FOLDER is docs/formats without one, which git ignores. `mkdocs build` calls this as a hook and needs no folder;
`cmake --install` writes the pages beside the others."""
import functools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ("machine-profiles", "library-costs", "applications", "examples/scenarios")


def paths():
    return [*(ROOT / folder / "schema.json" for folder in DATA), *sorted((ROOT / "formats/schemas").glob("*.json"))]


def name_of(schema):
    return schema["properties"]["schema"]["const"].partition("/")[0].removeprefix("ergon-")


class Page:
    def __init__(self, schema):
        self.schema, self.sections, self.written = schema, [], set()

    def target(self, of):
        return self.schema["$defs"][of["$ref"].rpartition("/")[2]]

    def has_section(self, of):
        """It is a part of the document that has members of its own and a name in the schema."""
        return "$ref" in of and ("properties" in self.target(of) or "oneOf" in self.target(of))

    def type_of(self, of):
        """In words; what has a section of its own is a link to it."""
        if "$ref" in of:
            name = of["$ref"].rpartition("/")[2]
            if not self.has_section(of):
                return self.type_of(self.target(of))
            self.section(name, self.target(of))
            return f"[{name}](#{name})"
        if "const" in of:
            return f"`{json.dumps(of['const'])}`"
        if "enum" in of:
            return " or ".join(f"`{json.dumps(each)}`" for each in of["enum"])
        for key in ("anyOf", "oneOf"):
            if key in of and "properties" not in of:
                return " or ".join(dict.fromkeys(self.type_of(each) for each in of[key]))
        if "allOf" in of:
            return self.type_of({**{k: v for each in of["allOf"] for k, v in (self.target(each) if "$ref" in each else each).items()}})
        kind = of.get("type", [])
        kinds = [kind] if isinstance(kind, str) else kind
        return " or ".join(self.word(each, of) for each in kinds) or self.word("number" if "minimum" in of else "string", of)

    def word(self, kind, of):
        if kind == "array":
            return f"list of {self.type_of(of['items'])}"
        if kind == "object" and isinstance(of.get("additionalProperties"), dict) and "properties" not in of:
            return f"names to {self.type_of(of['additionalProperties'])}"
        if kind in ("integer", "number"):
            word = {"integer": "whole number", "number": "number"}[kind]
            if "exclusiveMinimum" in of:
                return f"{word} > {of['exclusiveMinimum']}"
            if "minimum" in of:
                return f"{word} ≥ {of['minimum']}"
            return word
        return {"string": "text", "boolean": "true or false", "null": "null", "object": "object"}[kind]

    def rows(self, of, prefix):
        """(key, type, description) of each member, and of what lies in it."""
        for key, each in of.get("properties", {}).items():
            target = {**self.target(each), **each} if "$ref" in each else each
            optional = "" if key in of.get("required", []) else ", optional"
            yield f"{prefix}{key}", self.type_of(each) + optional, target["description"]
            if not self.has_section(each):
                yield from self.inner(target, f"{prefix}{key}")

    def inner(self, of, prefix):
        """Members of the objects that a value holds, unless they have a section."""
        if self.has_section(of):
            return
        if "$ref" in of:
            of = self.target(of)
        if isinstance(of.get("items"), dict):
            yield from self.inner(of["items"], prefix + "[]")
        elif "properties" in of:
            yield from self.rows(of, prefix + ".")
        elif isinstance(of.get("additionalProperties"), dict):
            yield from self.inner(of["additionalProperties"], prefix + ".NAME")
        elif "oneOf" in of or "anyOf" in of:
            for each in of.get("oneOf", of.get("anyOf")):
                yield from self.inner(each, prefix)

    def table(self, of):
        if "oneOf" in of:
            return "One of these.\n\n" + "\n\nOr:\n\n".join(self.table(each) for each in of["oneOf"])
        lines = ["| key | type | what it is |", "| --- | --- | --- |"]
        for row in dict.fromkeys(self.rows(of, "")):
            key, kind, words = (cell.replace("|", "\\|") for cell in row)
            lines.append(f"| `{key}` | {kind} | {words} |")
        return "\n".join(lines)

    def section(self, name, of):
        if name in self.written:
            return
        self.written.add(name)
        place = len(self.sections)
        self.sections.append("")
        words = f"{of['description']}\n\n" if "description" in of else ""
        self.sections[place] = f"## {name}\n\n{words}{self.table(of)}\n"

    def text(self, path):
        whole = self.schema
        table = self.table(whole)
        return re.sub(r"(?<!`)docs/([\w-]+[.]md)", r"[docs/\1](../\1)", "\n".join([
            f"# {whole['title']}\n",
            f"`{whole['properties']['schema']['const']}`, from `{path.relative_to(ROOT)}`.\n",
            whole["description"] + "\n",
            table + "\n",
            *self.sections,
        ])).rstrip() + "\n"


@functools.cache
def pages():
    """The text of each page by its path in docs/."""
    schemas = [(json.loads(path.read_text(encoding="utf-8")), path) for path in paths()]
    return {f"formats/{name_of(schema)}.md": Page(schema).text(path) for schema, path in schemas}


def on_files(files, config):
    """A hook of mkdocs: adds the pages; one that lies in docs/formats may be old, so it is left out."""
    from mkdocs.structure.files import File
    for uri in pages():
        if old := files.get_file_from_path(uri):
            files.remove(old)
        files.append(File(uri, config["docs_dir"], config["site_dir"], config["use_directory_urls"]))


def on_page_read_source(page, config):
    """A hook of mkdocs: the text of a page of a format; None of others, which mkdocs reads."""
    del config
    return pages().get(page.file.src_uri)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/formats"
    folder.mkdir(parents=True, exist_ok=True)
    for uri, text in pages().items():
        (folder / pathlib.PurePath(uri).name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
