# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""memory_outside.py PID FILE: while FILE exists, looks at what a recorder takes, as the kernel says it: memory of the
process and its descendants (each page once, by smaps), tables and rings of its BPF programs (memlock of their
descriptors), rings of its perf events (their mappings). Prints the greatest sum seen, in megabytes, and how many looks
there were."""
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


def kilobytes(block, field):
    match = re.search(rf'^{field}:\s+(\d+) kB', block, re.M)
    return int(match[1]) if match else 0


def of_process(pid):
    """Rings of BPF programs are counted with their descriptors, and those of perf events have no pages of their own."""
    own = rings = 0
    for block in re.split(r'\n(?=[0-9a-f]+-[0-9a-f]+ )', text(f'/proc/{pid}/smaps')):
        name = block.split('\n', 1)[0]
        if 'perf_event' in name:
            rings += kilobytes(block, 'Size')
        elif 'bpf-map' not in name:
            own += kilobytes(block, 'Pss')
    return own, rings


def of_maps(pid):
    maps = {}
    for fd in os.listdir(f'/proc/{pid}/fdinfo'):
        fields = dict(re.findall(r'^(\w+):\s+(\S+)', text(f'/proc/{pid}/fdinfo/{fd}'), re.M))
        if 'map_id' in fields:
            maps[fields['map_id']] = int(fields['memlock']) / 1024
    return sum(maps.values())


def look(pid):
    each = [of_process(member) for member in family(pid)]
    return sum(own for own, _ in each) + each[0][1] + of_maps(pid)


def main():
    pid, gate = int(sys.argv[1]), sys.argv[2]
    most = looks = 0
    while os.path.exists(gate) and os.path.exists(f'/proc/{pid}/smaps'):
        try:
            most = max(most, look(pid))
        except OSError:
            break
        looks += 1
        time.sleep(0.02)
    print(f'{most / 1024:.1f} {looks}')


main()
