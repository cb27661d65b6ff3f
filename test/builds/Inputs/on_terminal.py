"""Runs a command whose standard error is a terminal of 60 columns, and prints what came there, escapes in words."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

ours, its = pty.openpty()
fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=its, env=os.environ | {"TERM": "xterm"})
os.close(its)
said = b""
while True:
    try:
        read = os.read(ours, 4096)
    except OSError:  # the other end is closed
        break
    if not read:
        break
    said += read
print(said.decode().replace("\033[K", "<clear>").replace("\033", "<escape>").replace("\r", "<return>"))
sys.exit(process.wait())
