# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""For `perf script -s`: sched_switch and sched_waking as lines in the file $WAITS_EVENTS, times CLOCK_MONOTONIC ns:
switch TIME CPU PREV NEXT PREV_STATE PREV_COMM | waking TIME CPU TARGET TID CONTEXT COMM (of the current task)."""
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")
try:
    import perf_trace_context
except ImportError:  # built into perf, but not in every version
    perf_trace_context = None

HARDIRQ, SOFTIRQ = 8, 16
out = open(os.environ["WAITS_EVENTS"], "w", encoding="utf-8")


def context_of(context):
    flags = perf_trace_context.common_flags(context) if perf_trace_context else 0
    return "irq" if flags & HARDIRQ else "softirq" if flags & SOFTIRQ else "task"


def time_of(rest):
    return rest["sample"]["time"]


def sched__sched_switch(_name, _context, cpu, _s, _ns, _pid, _comm, _chain, prev_comm, prev_pid, _prio, prev_state, _next_comm,
                        next_pid, _next_prio, rest):
    print("switch", time_of(rest), cpu, prev_pid, next_pid, prev_state, prev_comm, file=out)


def sched__sched_waking(_name, context, cpu, _s, _ns, pid, comm, _chain, _target_comm, target, _prio, _target_cpu, rest):
    print("waking", time_of(rest), cpu, target, pid, context_of(context), comm, file=out)


def trace_end():
    out.close()
