# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a recorder uses according to the kernel: the process, its descendants, and what its descriptors hold.

outside.py cpu PID SECONDS: CPU time in that many seconds, with the run time of its BPF programs, in percent of one CPU. outside.py memory PID FILE: while FILE exists, measures memory (each page once, by smaps),
tables and rings of BPF programs (memlock of their descriptors) and rings of perf events (their mappings). Prints the
largest sum in megabytes and the number of measurements. Makes FILE.looked after each."""
import contextlib
import os
import pathlib
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

def held(pid, key, figure):
    """Sum of a figure over the objects of its descriptors. Several descriptors may lead to one object, which counts
    once, by its key."""
    each = {}
    for fd in os.listdir(f'/proc/{pid}/fdinfo'):
        fields = dict(re.findall(r'^(\w+):\s+(\S+)', text(f'/proc/{pid}/fdinfo/{fd}'), re.M))
        if key in fields and figure in fields:
            each[fields[key]] = int(fields[figure])
    return sum(each.values())

# --- CPUs ------------------------------------------------------------------------------------------------------------

def ticks(pid):
    """CPU time of the process and of its children that have ended."""
    fields = text(f'/proc/{pid}/stat').rpartition(')')[2].split()
    return sum(map(int, fields[11:15])) if fields else 0

@contextlib.contextmanager
def counted():
    """The kernel counts what BPF programs cost; the recorder does not ask it to, for it costs the host's other ones."""
    switch = pathlib.Path('/proc/sys/kernel/bpf_stats_enabled')
    before = switch.read_text()
    switch.write_text('1')
    try:
        yield
    finally:
        switch.write_text(before)

def spent(pid):
    return sum(map(ticks, family(pid))) / os.sysconf('SC_CLK_TCK') + held(pid, 'prog_id', 'run_time_ns') / 1e9

def print_cpu(pid, seconds):
    with counted():
        began, before = time.monotonic(), spent(pid)
        time.sleep(float(seconds))
        print(f'{100 * (spent(pid) - before) / (time.monotonic() - began):.2f}')

# --- memory ----------------------------------------------------------------------------------------------------------

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

def look(pid):
    each = [of_process(member) for member in family(pid)]
    return sum(own for own, _ in each) + each[0][1] + held(pid, 'map_id', 'memlock') / 1024

def print_memory(pid, gate):
    most = looks = 0
    while os.path.exists(gate) and os.path.exists(f'/proc/{pid}/smaps'):
        try:
            most = max(most, look(pid))
        except OSError:
            break
        looks += 1
        with open(gate + '.looked', 'w', encoding='ascii'):
            pass
        time.sleep(0.02)
    print(f'{most / 1024:.1f} {looks}')

{'cpu': print_cpu, 'memory': print_memory}[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
