"""What stands in a plot that a command wrote: plot.py FILE.

Fails where it is no well-formed XML, has something beside shapes and text, or is drawn beyond its frame. Prints its texts in
order, the corners of each line with its look, and its marks, rounded to pixels.
"""

import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == SVG + "svg", root.tag
width, height = float(root.get("width")), float(root.get("height"))
for element in root.iter():
    kind = element.tag.removeprefix(SVG)
    assert kind in ("svg", "g", "title", "rect", "text", "path", "circle"), kind
    assert not any(name.startswith("on") or name == "href" for name in element.attrib), element.attrib
    if kind == "text":
        assert 0 <= float(element.get("x")) <= width and 0 <= float(element.get("y")) <= height, element.attrib
        print("text:", element.text or "")
    elif kind == "path" and element.get("stroke") != "#dddddd":
        corners = [tuple(map(float, pair)) for pair in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", element.get("d"))]
        assert all(0 <= x <= width and 0 <= y <= height for x, y in corners), element.attrib
        if len(corners) > 1:
            look = "dashed" if element.get("stroke-dasharray") else "solid"
            print(f"{look} {element.get('stroke')}:", " ".join(f"{x:.0f},{y:.0f}" for x, y in corners))
        elif "l16 16" in element.get("d"):
            print(f"cross: {corners[0][0] + 8:.0f},{corners[0][1] + 8:.0f}", element.findtext(SVG + "title", ""))
    elif kind == "circle":
        print(f"circle {element.get('fill')}: {float(element.get('cx')):.0f},{float(element.get('cy')):.0f}",
              element.findtext(SVG + "title", ""))
