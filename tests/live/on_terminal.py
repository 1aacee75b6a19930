#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""on_terminal.py press|kill OUT SCREEN PATTERN COMMAND...: runs a command on a terminal of ours (stdin, stderr), with stdout
to OUT ("-": the terminal). When the terminal's output matches the regular expression PATTERN, it presses Ctrl-C, or kills the
command. Until then a reporter is stopped nearly all the time, so that it is in the middle of its work, however
fast the machine is. SCREEN gets the bytes, SCREEN.lines what the terminal shows at the end. Prints how the command ended
("exit 3", "signal 9"), whether the pattern came, and how many processes of its session are left."""
import contextlib
import os
import pty
import re
import select
import signal
import sys
import time

SECONDS = 120
RUNS, RESTS = 0.002, 0.005  # seconds that the command runs, and for which it is then stopped
BEFORE, BETWEEN = 1, 0.15  # seconds: longer than a command works before its first progress line, and between two of them
how, out, screen, pattern, *command = sys.argv[1:]

def wait_until(condition):
    end = time.monotonic() + SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)

def status_of(pid):
    """{} if it has exited."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as lines:
            return dict(line.rstrip("\n").split(":\t", 1) for line in lines if ":\t" in line)
    except OSError:
        return {}

def has_signal(pid, number, *masks):
    status = status_of(pid)
    return any(int(status.get(mask, "0"), 16) >> (number - 1) & 1 for mask in masks)

def processes_of(session):
    """Those that have not exited."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{pid}/stat", "rb") as stat:
                state, _, _, of = stat.read().rpartition(b") ")[2].split()[:4]
            if int(of) == session and state != b"Z":
                found.append(int(pid))
    return found

def spawn():
    pid, terminal = pty.fork()
    if pid == 0:
        if out != "-":
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 1)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # background jobs of a script ignore it
        os.kill(os.getpid(), signal.SIGSTOP)
        os.execvp(command[0], command)
    os.waitpid(pid, os.WUNTRACED)
    with contextlib.suppress(OSError):  # to stop another process after 2 ms, we must not wait for a CPU
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return pid, terminal

def give_a_slice(pid, begun):
    """When the worker catches Ctrl-C, which it gets as SIGUSR1, its work has begun. It is stopped there until its progress line
    is due, so that all of its work is still ahead."""
    os.killpg(pid, signal.SIGCONT)
    time.sleep(RUNS)
    os.killpg(pid, signal.SIGSTOP)
    wait_until(lambda: status_of(pid).get("State", "Z")[0] in "TZ")
    if begun or not any(has_signal(member, signal.SIGUSR1, "SigCgt") for member in processes_of(pid)):
        return begun
    time.sleep(BEFORE)
    return True

def press(pid, terminal):
    """The terminal delivers Ctrl-C with a delay: a stopped process has it once the signal is pending."""
    if how == "kill":
        os.kill(pid, signal.SIGKILL)
    else:
        os.write(terminal, b"\x03")
        wait_until(lambda: has_signal(pid, signal.SIGINT, "SigPnd", "ShdPnd"))
    os.killpg(pid, signal.SIGCONT)

def follow(pid, terminal):
    """What the terminal got, and whether the pattern came."""
    seen, came, begun, end = b"", False, False, time.monotonic() + SECONDS
    while time.monotonic() < end:
        if not came:
            begun = give_a_slice(pid, begun)
        if select.select([terminal], [], [], BETWEEN if came or seen else RESTS)[0]:
            try:
                more = os.read(terminal, 65536)
            except OSError:  # closed by the last process
                break
            seen += more
            if not more:
                break
        if not came and re.search(pattern.encode(), seen):
            came = True
            press(pid, terminal)
    return seen, came

def screen_of(seen):
    """\\r returns to the beginning of the line, ESC [ K erases the rest of it; nothing else is expected."""
    lines, at = [""], 0
    for part in re.findall(r"\r|\n|\x1b\[K|[^\r\n\x1b]+|\x1b", seen.decode(errors="replace")):
        if part in "\r\n":
            at = 0
            lines += [""] if part == "\n" else []
        elif part == "\x1b[K":
            lines[-1] = lines[-1][:at]
        else:
            lines[-1] = lines[-1][:at] + part + lines[-1][at + len(part):]
            at += len(part)
    return lines

session, tty = spawn()
shown, matched = follow(session, tty)
status = os.waitstatus_to_exitcode(os.waitpid(session, 0)[1])
wait_until(lambda: not processes_of(session))  # a killed child needs a moment to exit; any other one would never end
with open(screen, "wb") as file:
    file.write(shown)
with open(screen + ".lines", "w", encoding="utf-8") as file:
    file.writelines(line + "\n" for line in screen_of(shown))
print("exit %d" % status if status >= 0 else "signal %d" % -status, "matched" if matched else "not matched",
      "%d left" % len(processes_of(session)), sep=", ")
