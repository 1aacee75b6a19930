# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads --export perf-script: every event, with its weight and its call chain, as text. The other exports must
agree."""
import os
import re
import subprocess

HEADING = re.compile(r"(.*?) +(\d+)/(\d+) +(?:\[(\d+)\] )? *(\d+)\.(\d{6}): +(\d+) (\S+): $")
FRAME = re.compile(r"\t *([0-9a-f]+) (.*) \((.*?)\)$")


class Event:
    def __init__(self, found):
        comm, pid, tid, cpu, seconds, micros, weight, name = found.groups()
        self.comm = "" if comm == ":" + tid else comm
        self.pid, self.tid, self.weight, self.name = int(pid), int(tid), int(weight), name
        self.cpu = None if cpu is None else int(cpu)
        self.micros = int(seconds) * 1000000 + int(micros)
        self.kind = {"offcpu": "offcpu", "wakeup": "wakers"}.get(name, "kfunc" if name.startswith("probe:") else "sample")
        self.frames = []  # leaf first


def frame_name(text, module):
    """A name as --functions prints it; code without a name is its module in brackets."""
    if text.startswith("[unknown]"):
        base = os.path.basename(module).replace("[kernel.kallsyms]", "[kernel]")
        return base if base.startswith("[") else f"[{base}]"
    return re.sub(r"\+0x[0-9a-f]+$", "", text) if module != "inlined" else text


def read(report, options, trace):
    run = subprocess.run([report, "--no-local-files", "--no-cache", "--export", "perf-script", *options, trace],
                         capture_output=True, text=True)
    if run.returncode not in (0, 3):
        raise SystemExit(f"not ok perf_script - exit {run.returncode}: {run.stderr[-200:]}")
    events = []
    for line in run.stdout.split("\n"):
        if line.startswith("\t"):
            found = FRAME.match(line)
            events[-1].frames.append(frame_name(found.group(2), found.group(3)))
        elif line:
            found = HEADING.match(line)
            if not found:
                raise SystemExit(f"not ok perf_script - a line is not understood: {line!r}")
            events.append(Event(found))
    return events
