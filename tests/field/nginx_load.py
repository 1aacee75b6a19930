#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""nginx_load.py NGINX_PORT REDIS_PORT UNIX_PORT STAGE: some clients, each with a connection through nginx to redis,
one of them by a unix socket, send in turn requests that take redis 5 ms, and rest for 5 ms after each answer. While
all are idle it prints which process has which connection according to `ss`, and redis's own list of its clients:

    owner PORT PEER_PORT PID        the process that has the socket
    unix INODE PEER_INODE PID       likewise
    redis PID
    client PORT                     of redis, by CLIENT LIST: the other end's port
    pid PID                         of this program
"""
import os
import re
import socket
import subprocess
import sys
import time

from redis_load import Client
from stage import Stage

CLIENTS, ROUNDS = 3, 60
BUSY = """local function us() local t = redis.call('TIME') return t[1] * 1000000 + t[2] end
local begin = us() while us() - begin < 5000 do end return 1"""


class TcpClient(Client):
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.file = self.socket.makefile("rb")


def say_owners(ports):
    done = subprocess.run(["ss", "-Htnp", "state", "established"], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        found = re.search(r"127\.0\.0\.1:(\d+) +127\.0\.0\.1:(\d+) +users:\(\(.*?pid=(\d+)", line)
        if found and {int(found.group(1)), int(found.group(2))} & ports:
            print("owner", *found.groups())


def say_unix_owners():
    """Lines for the sockets that are connected to redis, and for redis's own."""
    done = subprocess.run(["ss", "-Hxp", "state", "established"], capture_output=True, text=True, check=True)
    rows = [found.groups() for found in (re.search(r" (\S+) (\d+) +\* (\d+) +users:\(\(.*?pid=(\d+)", line)
                                         for line in done.stdout.splitlines()) if found]
    ends = {inode for name, own, peer, _ in rows if name.endswith("/redis") for inode in (own, peer)}
    for _, inode, peer, pid in rows:
        if inode in ends:
            print("unix", inode, peer, pid)


def say_clients(redis):
    print("redis", redis.info("server")["process_id"])
    for line in redis.ask("CLIENT", "LIST").splitlines():
        found = re.search(r" addr=127\.0\.0\.1:(\d+) ", line)
        if found:
            print("client", found.group(1))


def main():
    (nginx_port, redis_port, unix_port), stage = map(int, sys.argv[1:4]), Stage(sys.argv[4])
    clients = [TcpClient(nginx_port) for _ in range(CLIENTS)] + [TcpClient(unix_port)]
    for client in clients:
        client.ask("PING")
    print("pid", os.getpid())
    say_clients(clients[0])
    say_owners({nginx_port, redis_port, unix_port})
    say_unix_owners()
    stage.ready()
    for _ in range(ROUNDS):
        for client in clients:
            client.ask("EVAL", BUSY, 0)
            time.sleep(0.005)
    stage.done()


main()
