"""Unpacks the functions of a record as docs/formats/record.md says: unpack.py RECORD RESULT"""
import json
import string
import sys

DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_"


def unpack(packed):
    packed, result, at = packed.encode(), bytearray(), 0
    while at < len(packed):
        mark = chr(packed[at])
        if mark in "^~":
            digits = packed[at + 1 : at + (4 if mark == "^" else 5)].decode()
            length = DIGITS.index(digits[0]) + 5
            distance = 1
            for place, digit in enumerate(reversed(digits[1:])):
                distance += DIGITS.index(digit) * 64**place
            for _ in range(length):
                result.append(result[-distance])
            at += 1 + len(digits)
            continue
        at += mark == "!"
        result += {b'"': b"'", b"'": b'"'}.get(packed[at : at + 1], packed[at : at + 1])
        at += 1
    return result.decode()


record = json.load(open(sys.argv[1]))
for index, function in enumerate(record["functions"]):
    if "packed" not in function:
        print(f"{function['demangled']}: as it is")
        continue
    packed = [function["packed"], function["details"]["packed"]]
    texts = [unpack(text) for text in packed]
    print(f"{function['demangled']}: packed to {100 * sum(map(len, packed)) // sum(map(len, texts))} %")
    record["functions"][index] = {**json.loads(texts[0]), "details": json.loads(texts[1])}
json.dump(record, open(sys.argv[2], "w"))
