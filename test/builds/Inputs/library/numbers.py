"""numbers.py PREDICTION: counts, time and energy of `ergon predict --json`, as examples/library has them."""
import json
import sys

with open(sys.argv[1]) as file:
    document = json.load(file)
numbers = dict(sorted(document["counts"].items()))
for key in ("time_s", "energy_j"):
    numbers[key] = document[key]["value"]
for key, number in numbers.items():
    print(key, format(float(number), ".17g"))
