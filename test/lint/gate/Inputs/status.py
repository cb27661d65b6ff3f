"""Runs a command; prints what it says and its exit status: status.py COMMAND…"""
import subprocess
import sys

done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
sys.stdout.buffer.write(done.stdout)
print("exit status", done.returncode)
