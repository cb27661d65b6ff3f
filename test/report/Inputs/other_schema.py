"""Writes a page whose data say that they are of another schema: other_schema.py PAGE OTHER"""

import base64
import gzip
import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
found = re.search(r'id="ergon-data">(.*?)</script>', page)
data = gzip.decompress(base64.b64decode(found[1])).replace(b"ergon-report-data/1", b"ergon-report-data/2")
other = page[:found.start(1)] + base64.b64encode(gzip.compress(data)).decode() + page[found.end(1):]
pathlib.Path(sys.argv[2]).write_text(other, encoding="utf-8")
