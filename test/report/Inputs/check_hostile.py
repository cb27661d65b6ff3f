"""Checks that nothing of hostile.py's sources is markup: check_hostile.py FOLDER, with page.html and program.json."""

import base64
import gzip
import html.parser
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
page = (folder / "page.html").read_text(encoding="utf-8")


class Elements(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self.inside, self.others = {}, None, []

    def handle_starttag(self, tag, attributes):
        name = dict(attributes).get("id")
        if tag == "script" and name and name.startswith("ergon-"):
            self.inside = name
            self.scripts[name] = ""
        elif any(key.startswith("on") for key, _ in attributes):
            self.others.append((tag, attributes))

    def handle_endtag(self, tag):
        if tag == "script":
            self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.scripts[self.inside] += data


found = Elements()
found.feed(page)
assert sorted(found.scripts) == ["ergon-data", "ergon-wasm"], sorted(found.scripts)
assert not found.others, found.others
packed = found.scripts["ergon-data"]
assert "<" not in packed and packed.isascii()
text = gzip.decompress(base64.b64decode(packed)).decode()
assert "<" not in text and text.isascii()  # that it stands there packed is not what keeps it harmless
data = json.loads(text)
states = {source["path"]: source["state"] for source in data["sources"]}
assert states == {"</script><!--.c": "ok", "changed.c": "changed", "latin1.c": "not UTF-8", "missing.c": "missing"}, states
texts = {source["path"]: source["text"] for source in data["sources"]}
assert texts["</script><!--.c"] == (folder / "</script><!--.c").read_text(encoding="utf-8")
assert not texts["changed.c"] and not texts["latin1.c"] and not texts["missing.c"]
program = json.loads((folder / "program.json").read_text(encoding="utf-8"))
mangled = {each["mangled"] for each in program["functions"]}
assert {"hostile", "</script><b>|`odd", "latin1", "changed", "missing"} <= mangled, mangled
