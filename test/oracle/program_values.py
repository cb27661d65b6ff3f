"""Values for the parameters of the programs of generated_programs.py."""
import random

from generated_programs import TYPES

# Where types end, and near it.
EDGES = [-129, -128, -127, 126, 127, 128, 129, 254, 255, 256, 257, 32767, 32768, 65535, 65536, 2**31 - 5, 2**31 - 2, 2**31 - 1,
         2**31, 2**31 + 4, 2**32 - 5, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 9, -2**31, -2**31 + 1, 2**63 - 1, -2**63, 2**63, 2**64 - 1,
         2**64 - 6]


def fits(value, kind):
    bits, signed = TYPES[kind]
    return -(2**(bits - 1)) <= value < 2**(bits - 1) if signed else 0 <= value < 2**bits


def values(program, seed, small, extreme):
    """Tuples for the parameters; of a kernel grid and block before them. In the extreme ones one parameter is at an edge of a type."""
    r = random.Random(f"values {program.category} {seed}")
    result = []
    for at in range(small + extreme):
        edge = r.randrange(len(program.parameters)) if at >= small else None
        row = []
        for number_, (kind, _) in enumerate(program.parameters):
            if number_ == edge:
                choices = [value for value in EDGES if fits(value, kind)] or [0, 1]
                row.append(r.choice(choices))
                continue
            low, high = r.choice([(-20, 70), (-3, 12), (0, 40), (0, 20)])
            row.append(r.choice([value for value in range(low, high + 1) if fits(value, kind)]))
        if program.is_kernel:
            shape = r.choice([(1, 1, 64, 1), (1, 1, 33, 1), (3, 1, 32, 1), (2, 1, 7, 1), (5, 1, 8, 1), (2, 2, 8, 4), (1, 3, 16, 2), (1, 1, 1, 1),
                              (2, 1, 96, 1)])
            row = [*shape, *row]
        if row not in result:
            result.append(row)
    return result
