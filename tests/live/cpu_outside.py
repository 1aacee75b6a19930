# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""cpu_outside.py PID SECONDS: what a recorder uses of the CPUs in so many seconds, as the kernel says it: the process and its
descendants, and the run time of the BPF programs that it holds (statistics must be on). In percent of one CPU."""
import os
import re
import sys
import time


def text(path):
    try:
        with open(path, encoding='ascii', errors='replace') as file:
            return file.read()
    except OSError:
        return ''


def family(pid):
    found = [pid]
    for child in text(f'/proc/{pid}/task/{pid}/children').split():
        found += family(int(child))
    return found


def ticks(pid):
    """Its own and those of children that have ended."""
    fields = text(f'/proc/{pid}/stat').rpartition(')')[2].split()
    return sum(map(int, fields[11:15])) if fields else 0


def programs(pid):
    each = {}
    for fd in os.listdir(f'/proc/{pid}/fdinfo'):
        fields = dict(re.findall(r'^(\w+):\s+(\S+)', text(f'/proc/{pid}/fdinfo/{fd}'), re.M))
        if 'run_time_ns' in fields: # links have the number of their program, too
            each[fields['prog_id']] = int(fields['run_time_ns'])
    return sum(each.values())


def spent(pid):
    return sum(map(ticks, family(pid))) / os.sysconf('SC_CLK_TCK') + programs(pid) / 1e9


def main():
    pid, seconds = int(sys.argv[1]), float(sys.argv[2])
    began, before = time.monotonic(), spent(pid)
    time.sleep(seconds)
    print(f'{100 * (spent(pid) - before) / (time.monotonic() - began):.2f}')


main()
