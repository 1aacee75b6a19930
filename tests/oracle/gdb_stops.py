# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs inside gdb, on the program that gdb was given: stops it over and over, and writes, for each thread that moved,
what our unwinder needs (registers, stack bytes, executable mappings) and the result of gdb's own unwinder. Read by
against_gdb.c.

ORACLE_OUT: the file; ORACLE_STOPS: how many stops; ORACLE_STACK: bytes of stack per stop; ORACLE_SECONDS: when to give up.
"""

import os
import subprocess
import time

import gdb

REGISTERS = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()   # in DWARF's order
REAL = (gdb.NORMAL_FRAME, gdb.SIGTRAMP_FRAME)   # inlined and tail-called ones are not on the stack
DEPTH = 1100
WANTED = int(os.environ["ORACLE_STOPS"])
STACK = int(os.environ["ORACLE_STACK"])
END = time.monotonic() + float(os.environ["ORACLE_SECONDS"])
SETTINGS = ("pagination off", "confirm off", "inferior-tty /dev/null", "backtrace past-main on",
            f"backtrace limit {DEPTH}", "debuginfod enabled off", "print thread-events off", "print inferior-events off",
            "python print-stack message")


def chain():
    """Addresses from the leaf on, and gdb's reason to stop unwinding."""
    found = []
    frame = gdb.newest_frame()
    while frame and len(found) < DEPTH:
        if frame.type() in REAL:
            found.append(frame.pc())
        last = frame
        frame = frame.older()
    return found, gdb.frame_stop_reason_string(last.unwind_stop_reason()).replace(" ", "-")


def executable(maps):
    return [line for line in maps if line.split()[1][2] == "x"]


def stack_at(inferior, maps, sp):
    for line in maps:
        start, end = (int(word, 16) for word in line.split()[0].split("-"))
        if start <= sp < end:
            return inferior.read_memory(sp, min(STACK, end - sp)).tobytes()
    return b""


def write_stop(out, inferior, maps):
    frame = gdb.newest_frame()
    registers = [int(frame.read_register(name)) & (1 << 64) - 1 for name in REGISTERS]
    stack = stack_at(inferior, maps, registers[7])
    addresses, reason = chain()
    code = executable(maps)
    out.write(f"stop {len(code)} {len(stack)} {len(addresses)} {reason}\n".encode())
    out.write((" ".join(f"{value:x}" for value in registers) + "\n").encode())
    out.write("".join(code).encode())
    out.write(stack + b"\n")
    out.write((" ".join(f"{address:x}" for address in addresses) + "\n").encode())


def moved(thread, seen):
    """Whether the thread has moved: a sleeping one counts once."""
    thread.switch()
    frame = gdb.newest_frame()
    where = (int(frame.pc()), int(frame.read_register("rsp")))
    was, seen[thread.ptid] = seen.get(thread.ptid), where
    return was != where


def take_all(out, seen):
    inferior = gdb.selected_inferior()
    with open(f"/proc/{inferior.pid}/maps", encoding="utf-8", errors="replace") as file:
        maps = file.readlines()
    taken = 0
    for thread in inferior.threads():
        if moved(thread, seen):
            write_stop(out, inferior, maps)
            taken += 1
    return taken


def one_run(out, wanted):
    """One run of the program; returns how many stops it gave."""
    taken, seen = 0, {}
    gdb.execute("starti", to_string=True)
    while taken < wanted and time.monotonic() < END:
        pid = gdb.selected_inferior().pid
        with subprocess.Popen(["sh", "-c", f"sleep 0.0{11 + taken * 7 % 29} && kill -INT {pid}"], stderr=subprocess.DEVNULL):
            gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid:
            return taken
        taken += take_all(out, seen)
    gdb.execute("kill", to_string=True)
    return taken


def main():
    for setting in SETTINGS:
        gdb.execute(f"set {setting}")
    gdb.execute("handle all nostop noprint pass", to_string=True)
    gdb.execute("handle SIGINT stop nopass", to_string=True)
    taken = 0
    with open(os.environ["ORACLE_OUT"], "wb") as out:
        while taken < WANTED and time.monotonic() < END:
            taken += one_run(out, WANTED - taken)


main()
