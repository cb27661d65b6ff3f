"""What a prediction counts of library calls, by library-costs/: executed counts of a program's own code are without these."""
import fnmatch
import json
import pathlib

COSTS = pathlib.Path(__file__).resolve().parent.parent / "library-costs"
NUMBERS = [(name, {key: value for key, value in entry.get("exact", entry.get("assumed", {})).items() if isinstance(value, (int, float))})
           for library in ("libc", "libstdc++", "posix") for entry in json.loads((COSTS / f"{library}.json").read_text())["functions"]
           for form in entry["forms"] for name in form["names"]]


def described(document, key):
    """The sum of class `key` over the calls whose counts are numbers."""
    return sum(times * costs.get(key, 0) for call, times in document.get("library_calls", {}).items() if isinstance(times, (int, float))
               for name, costs in NUMBERS if fnmatch.fnmatchcase(call, name))
