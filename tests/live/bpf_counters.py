# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""bpf_counters.py PID MAP: prints the counters of a running recorder, read from the kernel with bpftool: for each of
its maps with that name, a line "cpu=N NAME=COUNT ..." per CPU. The values of these maps begin with the counters of
bpf/ring_event.h. Maps are printed in the order of their creation."""
import glob
import json
import re
import subprocess
import sys


def counter_names(header="bpf/ring_event.h"):
    """The counters' names in their order, without the prefix."""
    with open(header, encoding="utf-8") as text:
        body = re.search(r"enum ring_counter \{(.*?)RING_COUNTERS\n\}", text.read(), re.S).group(1)
    return re.findall(r"\bRING_COUNT_(\w+),", re.sub(r"/\*.*?\*/", "", body))


def map_ids(pid):
    """The ids of all maps that the process holds."""
    ids = set()
    for path in glob.glob("/proc/%s/fdinfo/*" % pid):
        with open(path, encoding="utf-8") as text:
            ids.update(map(int, re.findall(r"^map_id:\s*(\d+)", text.read(), re.M)))
    return sorted(ids)


def bpftool(*words):
    done = subprocess.run(["bpftool", "-j", "map", *map(str, words)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def print_counters(number, names):
    for row in bpftool("lookup", "id", number, "key", 0, 0, 0, 0)["values"]:
        data = bytes(int(byte, 16) for byte in row["value"])
        words = [int.from_bytes(data[8 * i:8 * i + 8], sys.byteorder) for i in range(len(names))]
        print("cpu=%d %s" % (row["cpu"], " ".join("%s=%d" % pair for pair in zip(names, words))))


def main():
    pid, name = sys.argv[1:]
    found = [number for number in map_ids(pid) if bpftool("show", "id", number)["name"] == name[:15]]
    if not found:
        raise SystemExit("process %s has no map '%s'" % (pid, name))
    for number in found:
        print_counters(number, counter_names())


main()
