#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""python_lock.py ROUNDS: four threads take turns at one lock and sleep 10 ms while they hold it. Prints, for each
turn for which a thread waited, "wait TID BEGIN END HOLDER": CLOCK_MONOTONIC ns; HOLDER: the last thread to release
the lock before END."""
import sys
import threading
import time

ROUNDS = int(sys.argv[1])
lock = threading.Lock()
start = threading.Barrier(4)
last_holder = 0
rows = []


def turn():
    global last_holder
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    with lock:
        end = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        holder, last_holder = last_holder, threading.get_native_id()
        if end - begin > 5_000_000 and holder:
            rows.append((threading.get_native_id(), begin, end, holder))
        time.sleep(0.01)
    time.sleep(0.001)  # let others take it: Python's lock is not fair


def work():
    start.wait()
    for _ in range(ROUNDS):
        turn()


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for row in rows:
    print("wait", *row)
