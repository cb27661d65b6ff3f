#!/usr/bin/python3
"""Checks that public functions have a docstring: docstrings.py TREE [--table | --missing]

A public function is a free function of a header or a public member function. Functions that are defaulted, deleted
or that override, and destructors with an empty body, need no docstring. A docstring is a comment that ends on the line before the
declaration, or `///<` on its last line; it also covers the functions that follow without a blank line between.

Each layer must reach NEEDED. What a docstring calls `\\p NAME` must stand in the declaration, or in one that it also covers: a
parameter, mostly. --table prints the counts of each layer, --missing each function that has none.
"""

import argparse
import bisect
import dataclasses
import pathlib
import re
import sys

from include_directions import LAYERS, MUST_EXIST

NEEDED = 0.95

TOKEN = re.compile(
    r"""(?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)|(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<literal>(?:u8|[uUL])?R"(?P<delimiter>[^(]*)\(.*?\)(?P=delimiter)"|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+')"""
    r"""|(?P<word>\d(?:'?[\w.])*|\w+)|(?P<sign>::|->|[^\s\w])""", re.MULTILINE | re.DOTALL)
CLOSING = {"(": ")", "{": "}", "[": "]"}
# What may stand before a parenthesis that holds no parameters.
NO_NAMES = ("alignas", "decltype", "requires", "__attribute__", "explicit", "noexcept")
NO_DOCSTRING = re.compile(r"///<|/\*\*<|//\s*(NOLINT|clang-format)|//===")


@dataclasses.dataclass
class Token:
    text: str
    line: int  # the first


@dataclasses.dataclass
class Function:
    name: str
    first_line: int
    last_line: int
    words: set  # of the declaration
    documented: bool = False
    unknown: tuple = ()  # names in the docstring that no declaration has


class Header:
    """The public functions of one header."""

    def __init__(self, text):
        self.tokens, self.functions, self.at = [], [], 0
        self.comment_ends, self.comment_after = {}, set()  # the text of a comment by its last line; lines
        starts = [match.start() for match in re.finditer("^", text, re.MULTILINE)]
        for match in TOKEN.finditer(text):
            first = bisect.bisect_right(starts, match.start())
            if match["comment"]:
                self.note_comment(match[0], first, bool(text[starts[first - 1]:match.start()].strip()))
            elif not match["directive"]:
                self.tokens.append(Token(match[0], first))
        self.scope("namespace", True)
        if self.at <= len(self.tokens):
            raise SyntaxError(f"line {self.tokens[self.at - 1].line}: a brace that closes nothing")

    def note_comment(self, text, line, trails):
        if trails:
            if text.startswith(("///<", "/**<")):
                self.comment_after.add(line)
        elif not NO_DOCSTRING.match(text):
            before = self.comment_ends.get(line - 1, "")
            self.comment_ends[line + text.count("\n")] = before + text

    def group_end(self, at):
        """The index of the token that closes the bracket at `at`."""
        depth, opening = 0, self.tokens[at].text
        for index in range(at, len(self.tokens)):
            text = self.tokens[index].text
            depth += (text == opening) - (text == CLOSING[opening])
            if not depth:
                return index
        return len(self.tokens) - 1

    def angle_end(self, at):
        """The index of the token that closes the template arguments at `at`."""
        depth = 0
        while at < len(self.tokens):
            text = self.tokens[at].text
            if text in CLOSING:
                at = self.group_end(at)
            depth += (text == "<") - (text == ">")
            if not depth:
                return at
            at += 1
        return len(self.tokens) - 1

    def scope(self, kind, public):
        """Reads declarations up to the brace that closes a namespace or a class."""
        last = named = None  # the function before, where nothing else stands between; the one that has the docstring
        while self.at < len(self.tokens) and self.tokens[self.at].text != "}":
            text = self.tokens[self.at].text
            if kind == "class" and text in ("public", "protected", "private") and \
                    self.tokens[self.at + 1].text == ":":
                public, last = text == "public", None
                self.at += 2
                continue
            function = self.declaration(public)
            if not function:
                last = None
                continue
            function.documented = (function.first_line - 1 in self.comment_ends
                                   or function.last_line in self.comment_after
                                   or (last is not None and last.documented
                                       and last.last_line == function.first_line - 1))
            if function.first_line - 1 in self.comment_ends:
                named = function
                named.unknown = re.findall(r"\\p (\w+)", self.comment_ends[function.first_line - 1])
            elif not (last and last.last_line == function.first_line - 1):
                named = None
            if named:
                named.unknown = [name for name in named.unknown if name not in function.words]
            last = function
            if public and function.name:
                self.functions.append(function)
        self.at += 1

    def declaration(self, public):
        """Reads one declaration; gives a function, with an empty name where it needs no docstring, else None."""
        first = self.at
        name, parameters_end, assigned, initializers = "", 0, False, False
        words = []  # of the declaration, outside of brackets
        while self.at < len(self.tokens):
            text = self.tokens[self.at].text
            before = self.tokens[self.at - 1].text if self.at > first else ""
            if text == ";":
                break
            if text == "}":  # of the scope; a macro without semicolon stands before
                return None
            if text == "operator" and not name:
                name = self.operator_name()
                parameters_end = self.at = self.group_end(self.at)
            elif text == "(":
                end = self.group_end(self.at)
                if not name and not assigned and before not in NO_NAMES and re.match(r"\w", before) \
                        and self.tokens[self.at + 1].text != "*":
                    name, parameters_end = ("~" if self.tokens[self.at - 2].text == "~" else "") + before, end
                self.at = end
            elif text == "[":
                self.at = self.group_end(self.at)
            elif text == "<" and not assigned and re.match(r"\w", before):
                self.at = self.angle_end(self.at)
            elif text == "{":
                if not name and not assigned and self.opens_scope(words, public):
                    return None
                end = self.group_end(self.at)
                if name and not assigned and not (initializers and re.match(r"[\w>]", before)):
                    empty = end == self.at + 1
                    self.at = end
                    return self.function(name, first, words, empty and name[0] == "~")
                self.at = end
            else:
                assigned |= text == "="
                initializers |= bool(name) and text == ":"
                words.append(text)
            self.at += 1
        if name and words and words[0] not in ("using", "typedef", "static_assert"):
            return self.function(name, first, words, False)
        self.at += 1
        return None

    def operator_name(self):
        """Reads `operator==` and its like; leaves the index at the parenthesis of the parameters."""
        start = self.at
        self.at += 1
        if self.tokens[self.at].text == "(":  # operator()
            self.at += 2
        while self.tokens[self.at].text != "(":
            self.at += 1
        return "".join(token.text for token in self.tokens[start:self.at])

    def opens_scope(self, words, public):
        """Where the brace at hand opens a namespace, a class or an enumeration, reads that whole; gives whether."""
        kinds = [word for word in words if word in ("namespace", "class", "struct", "union", "enum")]
        body = self.at + 1
        if not kinds and words[:1] == ["extern"]:
            kinds = ["namespace"]
        if not kinds:
            return False
        if kinds[0] == "enum":
            self.at = self.group_end(self.at)
        else:
            self.at = body
            if kinds[0] == "namespace":
                self.scope("namespace", public and words[-1] != "namespace")  # an anonymous one is private
                return True
            self.scope("class", public and kinds[0] != "class")
            self.at -= 1
        while self.tokens[self.at].text != ";":  # names of variables may follow
            self.at += 1
        self.at += 1
        return True

    def function(self, name, first, words, trivial):
        """The function whose last token is at hand."""
        last = self.tokens[self.at].line
        exempt = trivial or "override" in words or words[-2:] in (["=", "default"], ["=", "delete"]) \
            or (words[0] == name and "->" in words)  # a deduction guide
        self.at += 1
        if self.at < len(self.tokens) and self.tokens[self.at].text == ";":
            self.at += 1
        declared = {token.text for token in self.tokens[first:self.at]}
        return Function("" if exempt else name, self.tokens[first].line, last, declared)


def functions_of(tree, layer):
    """Pairs (path, function) of a layer, sorted by path."""
    for path in sorted((tree / layer).rglob("*.h")):
        for function in Header(path.read_text(encoding="utf-8")).functions:
            yield path.relative_to(tree), function


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("tree", type=pathlib.Path)
    arguments.add_argument("--table", action="store_true")
    arguments.add_argument("--missing", action="store_true")
    options = arguments.parse_args()
    findings = []
    for layer in LAYERS:
        found = list(functions_of(options.tree, layer))
        missing = [(path, function) for path, function in found if not function.documented]
        documented = len(found) - len(missing)
        if options.table:
            part = f"{documented / len(found):7.1%}" if found else "      –"
            print(f"{layer:12} {len(found):5} functions {documented:5} documented {part}")
        if options.missing:
            print("".join(f"{path}:{function.first_line}: {function.name}\n" for path, function in missing), end="")
        findings += [f"{path}:{function.first_line}: the docstring names {name}, which {function.name} does not have"
                     for path, function in found for name in function.unknown]
        if not found and layer in MUST_EXIST:
            findings.append(f"{layer}/: no public function there, so nothing was checked")
        if documented < NEEDED * len(found):
            names = ", ".join(f"{path}:{function.first_line}: {function.name}" for path, function in missing[:5])
            findings.append(f"{layer}/: {documented} of {len(found)} public functions have a docstring, at least "
                            f"{NEEDED:.0%} must have one; the first without: {names}")
    print("\n".join(findings) if findings else "all layers have their docstrings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
