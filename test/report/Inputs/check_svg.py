"""Checks that each file is SVG with something drawn, and no script: check_svg.py FILE…"""

import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
for path in sys.argv[1:]:
    root = tree.parse(path).getroot()
    assert root.tag == SVG + "svg", root.tag
    kinds = [each.tag.removeprefix(SVG) for each in root.iter()]
    assert set(kinds) <= {"svg", "title", "rect", "text", "path", "circle"}, set(kinds)
    assert kinds.count("circle") + kinds.count("rect") > 1, (path, kinds)
    for each in root.iter():
        assert not any(name.startswith("on") or name == "href" for name in each.attrib), each.attrib
        for name in ("x", "y", "cx", "cy", "width"):
            value = each.get(name, "0").removesuffix("%")
            assert 0 <= float(value) <= 2000, (path, each.tag, each.attrib)
