#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""processes.py KIND ARGUMENT...: processes that wait for known objects.

ends ROUNDS         one process writes to a pipe that another reads; two talk over TCP and two over a socketpair, each making the
                    other wait for some ms. Prints "pipe INODE READER WRITER", "tcp PORT ONE OTHER", "unix - ONE OTHER" as comms
                    and pids.
convoy N FIFO       two terminals, each read by N processes, one after the other, with the terminal's mutex: cv-0 reads, and
                    holds the mutex meanwhile, cv-1 to cv-(N-1) queue for it in this order. Whoever got a line pauses. The
                    second terminal's readers are kp-0 and so on. Prints "asleep" when all of them sleep. Then types a line on
                    the first terminal, never on the second, for each byte from the FIFO, and prints "read I" when cv-I has it.
below UID GID GROUP,... COMMAND...
                    runs the command as root, below a process that has these ids and groups, with the environment of sudo: as if
                    that user's shell had typed it.
"""
import ctypes
import os
import signal
import socket
import sys
import time

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None, use_errno=True)
children = []


def rename(comm):
    with open("/proc/self/comm", "w", encoding="ascii") as name:
        name.write(comm)


def start(comm, work):
    """Runs it in a process of that name, which ends with this one."""
    child = os.fork()
    if not child:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        rename(comm)
        work()
        os._exit(0)
    children.append(child)
    return child


# --- ends -----------------------------------------------------------------------------------------------------------------

PAUSE = 0.004


def read_all(end):
    while os.read(end, 1):
        pass


def write_slowly(end, rounds):
    for _ in range(rounds):
        time.sleep(PAUSE)
        os.write(end, b"x")


def talk(connection, first, rounds):
    for i in range(2 * rounds):
        if (i % 2 == 0) == first:
            time.sleep(PAUSE)
            connection.sendall(b"x")
        else:
            connection.recv(1)


def ends(rounds):
    rounds = int(rounds)
    reading, writing = os.pipe()
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    client = socket.create_connection(("127.0.0.1", port))
    server = listener.accept()[0]
    one, other = socket.socketpair()
    inode = os.fstat(reading).st_ino
    for kind, what, left, right in (
            ("pipe", inode, lambda: (os.close(writing), read_all(reading)), lambda: (os.close(reading), write_slowly(writing, rounds))),
            ("tcp", port, lambda: talk(client, True, rounds), lambda: talk(server, False, rounds)),
            ("unix", "-", lambda: talk(one, True, rounds), lambda: talk(other, False, rounds))):
        names = "e-%s-one" % kind, "e-%s-two" % kind
        print(kind, what, names[0], start(names[0], left), names[1], start(names[1], right), flush=True)
    os.close(writing)
    for child in children:
        os.waitpid(child, 0)


# --- convoy ---------------------------------------------------------------------------------------------------------------


def state_of(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as stat:
        return stat.read().rpartition(")")[2].split()[0]


def queue_up(kind, readers, told):
    """Returns the end at which to type."""
    keyboard, terminal = os.openpty()
    for number in range(readers):
        pid = start("%s-%d" % (kind, number), lambda: (os.read(terminal, 16), os.write(told, b"%d" % number), signal.pause()))
        while not is_named(pid, kind) or state_of(pid) != "S":
            time.sleep(0.001)
    return keyboard


def is_named(pid, kind):
    with open("/proc/%d/comm" % pid, encoding="ascii") as comm:
        return comm.read().startswith(kind)


def convoy(readers, fifo):
    reading, told = os.pipe()
    keys = os.open(fifo, os.O_RDWR)
    keyboard = queue_up("cv", int(readers), told)
    queue_up("kp", int(readers), told)
    print("asleep", flush=True)
    while os.read(keys, 1):
        os.write(keyboard, b"x\n")
        print("read", os.read(reading, 1).decode(), flush=True)


# --- below ----------------------------------------------------------------------------------------------------------------


def exit_as(pid):
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def below(uid, gid, groups, *command):
    shell = os.fork()
    if shell:
        exit_as(shell)
    released, release = os.pipe()
    child = os.fork()
    if not child:
        os.environ.update(SUDO_UID=uid, SUDO_GID=gid)
        os.read(released, 1)
        os.execvp(command[0], command)
    os.setgroups([int(group) for group in groups.split(",")])
    os.setresgid(*[int(gid)] * 3)
    os.setresuid(*[int(uid)] * 3)
    os.write(release, b"x")
    exit_as(child)


{"ends": ends, "convoy": convoy, "below": below}[sys.argv[1]](*sys.argv[2:])
