#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""redis_load.py cpu|wait SOCKET STAGE. cpu: sorts, then stores, until each has used enough of the server's CPU time;
prints "used BEFORE BETWEEN AFTER" in us by INFO cpu. wait: sends requests that take 20 ms, and prints "wait TID BEGIN
END SERVER"."""
import socket
import sys
import threading

from stage import Stage, now


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def send(self, *words):
        words = [str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))

    def answer(self):
        line = self.file.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise SystemExit("redis: " + rest.decode())
        if kind == b"$":
            return self.file.read(int(rest) + 2)[:-2].decode() if int(rest) >= 0 else None
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))]
        return rest.decode()

    def ask(self, *words):
        self.send(*words)
        return self.answer()

    def info(self, section):
        return dict(line.split(":", 1) for line in self.ask("INFO", section).split("\r\n") if ":" in line)

    def used_us(self):
        cpu = self.info("cpu")
        return round(1e6 * sum(float(cpu["used_cpu_%s_main_thread" % kind]) for kind in ("user", "sys")))


def until(client, most, do):
    begin = client.used_us()
    while client.used_us() - begin < most:
        do()


def load_cpu(client):
    """Sends few small requests: if two processes take turns within microseconds, samplers without NMIs sample code
    that runs with interrupts off a moment later, in the other process or when the CPU is idle."""
    before = client.used_us()
    until(client, 2_000_000, lambda: client.ask("SORT", "numbers", "LIMIT", 0, 10))
    between = client.used_us()
    until(client, 250_000, lambda: [client.ask("SET", "key:%d" % i, "x" * 100) for i in range(1000)])
    print("used", before, between, client.used_us())


# Busy by the server's own clock: for its script, time passes only from one TIME to the next.
BUSY = """local function us() local t = redis.call('TIME') return t[1] * 1000000 + t[2] end
local begin = us() while us() - begin < 20000 do end return 1"""


def load_wait(client):
    server = int(client.info("server")["process_id"])
    client.ask("CONFIG", "SET", "lua-time-limit", 5000)
    for _ in range(50):
        begin = now()
        client.ask("EVAL", BUSY, 0)
        print("wait", threading.get_native_id(), begin, now(), server)


def main():
    client, stage = Client(sys.argv[2]), Stage(sys.argv[3])
    stage.ready()
    {"cpu": load_cpu, "wait": load_wait}[sys.argv[1]](client)
    stage.done()


if __name__ == "__main__":
    main()
