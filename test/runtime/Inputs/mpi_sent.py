#!/usr/bin/python3
"""What the ranks of an MPI program sent, as their run records say: mpi_sent.py RUNS [options]

One line for each function of the program, function of MPI and rank: times, messages, bytes; sorted. The program
exports its functions (-rdynamic), so that a call's place names one.

--function NAME --predicted FILE: the sums of that function's calls are, on each of --ranks ranks, those of the
prediction FILE; prints them once. Exits 1 where they are not.
--monitored PREFIX: the sums of each rank are those that Open MPI's own monitoring wrote into PREFIX.RANK.prof.
"""

import argparse
import collections
import json
import pathlib
import re
import sys


def sent(folder):
    """(function, call, rank) -> [times, messages, bytes], and the ranks."""
    result, ranks = collections.defaultdict(lambda: [0, 0, 0]), []
    for path in sorted(pathlib.Path(folder).glob("run-*.json")):
        mpi = json.loads(path.read_text()).get("mpi")
        if mpi is None:
            continue
        ranks.append((mpi["rank"], mpi["size"]))
        for site in mpi["sites"]:
            function = re.match(r".*\((.*)\+0x[0-9a-f]+\)$", site["at"])[1]
            row = result[function, site["call"], mpi["rank"]]
            for at, key in enumerate(("times", "messages", "message_bytes")):
                row[at] += site[key]
    return result, sorted(ranks)


def monitored(prefix, rank):
    """Messages and bytes to others: lines `E from to N bytes M msgs sent`, I for those of collectives."""
    lines = [line.split() for line in pathlib.Path(f"{prefix}.{rank}.prof").read_text().splitlines()]
    rows = [(int(line[5]), int(line[3])) for line in lines if line[0] in "EI" and line[1] != line[2]]
    return [sum(column) for column in zip(*rows)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs")
    parser.add_argument("--function")
    parser.add_argument("--predicted")
    parser.add_argument("--monitored")
    parser.add_argument("--ranks", type=int, default=4)
    options = parser.parse_args()
    rows, ranks = sent(options.runs)
    wanted = [(rank, options.ranks) for rank in range(options.ranks)]
    if ranks != wanted:
        return f"ranks are {ranks}, not {wanted}"
    if options.monitored:
        for rank in range(options.ranks):
            own = [sum(column) for column in zip(*(row[1:] for key, row in rows.items() if key[2] == rank))]
            measured = monitored(options.monitored, rank)
            if own != measured:
                return f"rank {rank}: counted {own}, monitored {measured}"
            print(f"rank {rank}: {own[0]} messages, {own[1]} bytes")
        return 0
    if not options.predicted:
        for key, row in sorted(rows.items()):
            print(*key, *row)
        return 0
    counts = json.loads(pathlib.Path(options.predicted).read_text())["counts"]
    predicted = [counts.get("messages", 0), counts.get("message_bytes", 0)]
    for rank in range(options.ranks):
        own = [row[1:] for (function, _, of), row in rows.items() if (function, of) == (options.function, rank)]
        counted = [sum(column) for column in zip(*own)]
        if counted != predicted:
            return f"{options.function}, rank {rank}: counted {counted}, predicted {predicted}"
    print(f"{options.function}: {predicted[0]} messages, {predicted[1]} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
