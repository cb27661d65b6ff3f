"""Formats of lit's tests that let one test have the machine for itself.

lit runs as many tests as there are processors. A test that holds a duration against a limit says `ALONE:` in a line of its own: it
waits until those that run have ended, and no other begins before its end. Locks of files do that, as each worker of lit is a process.
"""
import contextlib
import fcntl
import os
import re

import lit.formats

_ALONE = re.compile(r"^\W*ALONE:\s*$", re.MULTILINE)


@contextlib.contextmanager
def _turn(folder, alone):
    """The machine, shared with other tests or not. Who waits to be alone keeps the gate, so that no others go before."""
    with open(os.path.join(folder, ".gate"), "w") as gate, open(os.path.join(folder, ".machine"), "w") as machine:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(machine, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        yield


class ShTest(lit.formats.ShTest):
    """lit's tests of shell commands, in turn; the locks are in `folder`."""

    def __init__(self, folder, **settings):
        super().__init__(**settings)
        self.folder = folder

    def execute(self, test, lit_config):
        with open(test.getSourcePath(), encoding="utf-8", errors="replace") as source:
            alone = bool(_ALONE.search(source.read()))
        with _turn(self.folder, alone):
            return super().execute(test, lit_config)


class GoogleTest(lit.formats.GoogleTest):
    """lit's tests of GoogleTest programs, in turn with those of shell commands; the locks are in `folder`."""

    def __init__(self, folder, *settings):
        super().__init__(*settings)
        self.folder = folder

    def execute(self, test, lit_config):
        with _turn(self.folder, alone=False):
            return super().execute(test, lit_config)
