#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a command whose terminal (stdin, stderr) is ours, its stdout OUT ("-": the terminal, too), and presses Ctrl-C when the terminal shows something.

    on_terminal.py OUT SCREEN PATTERN COMMAND...

PATTERN: a regular expression on what was written to the terminal; "" presses nothing. SCREEN gets the bytes, SCREEN.lines what
stands on the terminal at the end. Prints how it ended ("exit 3", "signal 2"), whether Ctrl-C was pressed, and how many processes of
its session are left.
"""
import os
import pty
import re
import select
import sys
import time

SECONDS = 60


def spawn(out, command):
    pid, terminal = pty.fork()
    if pid == 0:
        if out != "-":
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 1)
        os.execvp(command[0], command)
    return pid, terminal


def read_some(terminal):
    ready, _, _ = select.select([terminal], [], [], 0.1)
    if not ready:
        return None
    try:
        return os.read(terminal, 65536)
    except OSError:  # the last one has closed it
        return b""


def follow(terminal, pattern):
    seen, pressed = b"", False
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        more = read_some(terminal)
        if more == b"":
            break
        seen += more or b""
        if pattern and not pressed and re.search(pattern.encode(), seen):
            os.write(terminal, b"\x03")
            pressed = True
    return seen, pressed


def session_of(stat):
    fields = stat[stat.rindex(b")") + 2 :].split()
    return fields[0], int(fields[3])


def left_of(session):
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                state, of = session_of(open(f"/proc/{name}/stat", "rb").read())
            except (OSError, ValueError):
                continue
            count += of == session and int(name) != session and state != b"Z"
    return count


def left_after(session):
    """A child that was killed needs a moment."""
    end = time.monotonic() + 3
    while left_of(session) and time.monotonic() < end:
        time.sleep(0.02)
    return left_of(session)


def screen_of(seen):
    """\\r goes to the beginning of the line, ESC [ K erases the rest of it; nothing else is expected."""
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


def main():
    out, screen, pattern = sys.argv[1:4]
    pid, terminal = spawn(out, sys.argv[4:])
    seen, pressed = follow(terminal, pattern)
    try:
        done, status = os.waitpid(pid, os.WNOHANG)
        for _ in range(100):
            if done:
                break
            time.sleep(0.1)
            done, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        done, status = pid, 0
    with open(screen, "wb") as file:
        file.write(seen)
    with open(screen + ".lines", "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in screen_of(seen))
    how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
    print(how if done else "no end", "pressed" if pressed else "not pressed", left_after(pid), "left", sep=", ")
    if not done:
        os.kill(pid, 9)


main()
