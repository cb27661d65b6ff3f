"""The profile with a cheap flop in double: cheap_double.py PROFILE"""
import json
import sys

profile = json.load(open(sys.argv[1]))
profile["name"] = "cheap"
profile["energy"]["flops_f64"]["j"]["value"] = 375e-12
print(json.dumps(profile))
