#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a command on a terminal of ours (stdin, stderr), with stdout to OUT ("-": the terminal); presses Ctrl-C at
PATTERN.

    on_terminal.py [--slowly] [--kill | --look] OUT SCREEN PATTERN COMMAND...

PATTERN: a regular expression for the terminal's output; "" presses nothing. --kill: SIGKILL instead of Ctrl-C; --look:
only reports that the pattern was shown. --slowly: until then the command is stopped nearly all the time, so that it is
in the middle of its work when the pattern is shown, however fast the machine is. SCREEN gets the bytes, SCREEN.lines
what the terminal shows at the end. Prints how the command ended ("exit 3", "signal 2"), whether Ctrl-C was pressed, and
how many processes of its session are left.
"""
import argparse
import contextlib
import os
import pty
import re
import select
import signal
import sys
import time

SECONDS = 120
RUNS, RESTS = 0.002, 0.005  # seconds that a slow command runs, and for which it is then stopped
BEFORE, BETWEEN = 1, 0.15  # seconds: longer than a command works before its first progress line, and between two of them


def spawn(out, command, slowly):
    pid, terminal = pty.fork()
    if pid == 0:
        if out != "-":
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 1)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # background jobs of a script ignore it
        if slowly:
            os.kill(os.getpid(), signal.SIGSTOP)
        os.execvp(command[0], command)
    return pid, terminal


def read_some(terminal, seconds):
    ready, _, _ = select.select([terminal], [], [], seconds)
    if not ready:
        return None
    try:
        return os.read(terminal, 65536)
    except OSError:  # closed by the last process
        return b""


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


def session_of(stat):
    fields = stat[stat.rindex(b")") + 2 :].split()
    return fields[0], int(fields[3])


def processes_of(session):
    """Those that have not exited."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                state, of = session_of(open(f"/proc/{name}/stat", "rb").read())
            except (OSError, ValueError):
                continue
            if of == session and state != b"Z":
                found.append(int(name))
    return found


def left_of(session):
    return [pid for pid in processes_of(session) if pid != session]


def wait_until(condition):
    end = time.monotonic() + SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)


class Slowly:
    """Lets a command run for moments only. When its worker catches Ctrl-C, which it gets as SIGUSR1, its work has begun.
    It is stopped there until its progress line is due, so that all of its work is still ahead, however fast the machine
    is."""

    def __init__(self, pid):
        os.waitpid(pid, os.WUNTRACED)
        self.pid, self.begun = pid, False
        try:  # to stop another process after 2 ms, we must not wait for a CPU
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        except OSError as error:
            print("# no real-time priority:", error, file=sys.stderr)

    def give_a_slice(self):
        os.killpg(self.pid, signal.SIGCONT)
        time.sleep(RUNS)
        os.killpg(self.pid, signal.SIGSTOP)
        wait_until(lambda: status_of(self.pid).get("State", "Z")[0] in "TZ")
        if not self.begun and any(has_signal(pid, signal.SIGUSR1, "SigCgt") for pid in processes_of(self.pid)):
            self.begun = True
            time.sleep(BEFORE)


def press(pid, terminal, how, slowly):
    """The terminal delivers Ctrl-C with a delay: a stopped process has it once the signal is pending."""
    if how == "kill":
        os.kill(pid, signal.SIGKILL)
    elif how == "press":
        os.write(terminal, b"\x03")
        wait_until(lambda: not slowly or has_signal(pid, signal.SIGINT, "SigPnd", "ShdPnd"))
    if slowly:
        os.killpg(pid, signal.SIGCONT)
    return how != "look"


def follow(pid, terminal, options):
    seen, pressed, waiting = b"", False, bool(options.pattern)
    slowly = Slowly(pid) if options.slowly else None
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if waiting and slowly:
            slowly.give_a_slice()
        more = read_some(terminal, RESTS if waiting and slowly and not seen else BETWEEN)
        if more == b"":
            break
        seen += more or b""
        if waiting and re.search(options.pattern.encode(), seen):
            pressed, waiting = press(pid, terminal, options.how, slowly), False
    return seen, pressed


def left_after(session):
    """How many processes are left. A killed child needs a moment to exit; any other one would never end."""
    end = time.monotonic() + SECONDS
    while left_of(session) and time.monotonic() < end:
        time.sleep(0.02)
    left = left_of(session)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(left)


def screen_of(seen):
    """\\r returns to the beginning of the line, ESC [ K erases the rest of it; nothing else is expected."""
    lines, line, at = [], "", 0
    for part in re.findall(r"\r|\n|\x1b\[K|[^\r\n\x1b]+|\x1b", seen.decode(errors="replace")):
        if part == "\r":
            at = 0
        elif part == "\n":
            lines.append(line)
            line, at = "", 0
        elif part == "\x1b[K":
            line = line[:at]
        else:
            line = line[:at] + part + line[at + len(part) :]
            at += len(part)
    return lines + ([line] if line else [])


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slowly", action="store_true")
    parser.add_argument("--kill", action="store_const", dest="how", const="kill", default="press")
    parser.add_argument("--look", action="store_const", dest="how", const="look")
    for name in ("out", "screen", "pattern"):
        parser.add_argument(name)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main():
    options = parse()
    pid, terminal = spawn(options.out, options.command, options.slowly)
    seen, pressed = follow(pid, terminal, options)
    try:
        done, status = os.waitpid(pid, os.WNOHANG)
        end = time.monotonic() + SECONDS
        while not done and time.monotonic() < end:
            time.sleep(0.01)
            done, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        done, status = pid, 0
    with open(options.screen, "wb") as file:
        file.write(seen)
    with open(options.screen + ".lines", "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in screen_of(seen))
    how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
    print(how if done else "no end", "pressed" if pressed else "not pressed", left_after(pid), "left", sep=", ")
    if not done:
        os.kill(pid, 9)


main()
