#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""containers_check.py REPORT TRACE TRUTH [alone]: each process of TRUTH, a line "WHAT PID CONTAINER ID CGROUP"
separated by tabs, waited in that control group and in that container, and in no other one. With "alone", no other
process was recorded."""
import collections, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rows as rows_of


def read_truth(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def read_places(report, trace):
    """pid: (cgroup, container, id) of its waits, with their number."""
    places = collections.defaultdict(collections.Counter)
    for row in rows_of.read(report, trace, "--source", "offcpu"):
        places[str(row["pid"])][row.get("cgroup", ""), row.get("container", ""), row.get("container_id", "")] += 1
    return places


def main(report, trace, truth, *more):
    places, wanted = read_places(report, trace), read_truth(truth)
    if not wanted:
        print("no truth: there is none")
    for what, pid, container, number, cgroup in wanted:
        there = places.get(pid, {})
        good = set(there) == {(cgroup, container, number)}
        print(f"{'yes' if good else 'no'} {what}, process {pid}" + ("" if good else f": {dict(there)}, not {cgroup} {container} {number}"))
    print("#", ", ".join(f"{pid}: {sum(places[pid].values())} waits" for _, pid, *_ in wanted if pid in places))
    if more:
        others = {place for there in places.values() for place in there} - {(cgroup, container, number) for _, _, container, number, cgroup in wanted}
        print("yes nobody else" if not others else f"no nobody else: {others}")


main(*sys.argv[1:])
