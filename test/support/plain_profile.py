#!/usr/bin/env python3
"""A shipped profile that does not say of which processor it is: plain_profile.py PROFILE.json > PLAIN.json

Without kind, multiprocessors and caches it prices whatever code there is, so that tests of other things can have
its settings and prices for C."""
import json
import sys

profile = json.load(open(sys.argv[1]))
for key in ("kind", "device", "caches"):
    profile.pop(key, None)
json.dump(profile, sys.stdout)
