"""Lines of progress that `ergon calibrate` writes where no terminal is."""

import re

LINE = re.compile(r"^calibrate: \d+ of \d+ probes(, about \d+ s left)? \(.*\)\n", re.MULTILINE)


def without_progress(text):
    """What else was said."""
    return LINE.sub("", text)
