#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""postgres_clients.py SOCKET_FOLDER PORT STAGE: a psql by TCP and one by the unix socket ask PostgreSQL to sleep for some milliseconds, and
rest after each answer, so that each waits for the other. Prints what PostgreSQL reports of them:

    client KIND PSQL BACKEND CLIENT_PORT    KIND: tcp, unix; the port of pg_stat_activity, -1 for a unix socket
"""
import sys
import time

from postgres_session import Session
from stage import Stage

ROUNDS = 60


def main():
    folder, port, stage = sys.argv[1], sys.argv[2], Stage(sys.argv[3])
    clients = {"tcp": Session("127.0.0.1", port), "unix": Session(folder, port)}
    for kind, client in clients.items():
        known = clients["unix"].ask("SELECT client_port FROM pg_stat_activity WHERE pid = %d" % client.pid)
        print("client", kind, client.psql.pid, client.pid, known)
    stage.ready()
    for _ in range(ROUNDS):
        for client in clients.values():
            client.ask("SELECT pg_sleep(0.01)")
            time.sleep(0.005)
    stage.done()


main()
