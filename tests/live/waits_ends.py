#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""waits_ends.py ROUNDS: one process writes to a pipe that another reads; two talk over TCP and two over a socketpair,
each making the other wait for some ms. Prints "pipe INODE READER WRITER", "tcp PORT ONE OTHER", "unix - ONE OTHER" as
comms and pids."""
import os
import socket
import sys
import time

ROUNDS = int(sys.argv[1])
PAUSE = 0.004
children = []


def start(comm, work):
    child = os.fork()
    if not child:
        with open("/proc/self/comm", "w", encoding="ascii") as name:
            name.write(comm)
        work()
        os._exit(0)
    children.append(child)
    return comm, child


def read_all(end):
    while os.read(end, 1):
        pass


def write_slowly(end):
    for _ in range(ROUNDS):
        time.sleep(PAUSE)
        os.write(end, b"x")


def talk(connection, first):
    for i in range(2 * ROUNDS):
        if (i % 2 == 0) == first:
            time.sleep(PAUSE)
            connection.sendall(b"x")
        else:
            connection.recv(1)


def main():
    reading, writing = os.pipe()
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    client = socket.create_connection(("127.0.0.1", port))
    server = listener.accept()[0]
    one, other = socket.socketpair()
    inode = os.fstat(reading).st_ino
    ends = (("pipe", inode, lambda: (os.close(writing), read_all(reading)), lambda: (os.close(reading), write_slowly(writing))),
            ("tcp", port, lambda: talk(client, True), lambda: talk(server, False)),
            ("unix", "-", lambda: talk(one, True), lambda: talk(other, False)))
    for kind, what, left, right in ends:
        print(kind, what, *start("e-%s-one" % kind, left), *start("e-%s-two" % kind, right), flush=True)
    os.close(writing)
    for child in children:
        os.waitpid(child, 0)


main()
