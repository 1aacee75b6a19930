#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""postgres_blocked.py SOCKET_FOLDER PORT STAGE: an idle session holds a row lock; one psql by TCP and one by the unix socket queue for
the row before the recording begins, and until it has ended; another has been answered and rests. Prints what PostgreSQL
reports of them:

    blocked PSQL BACKEND        wait_event_type is Lock
    rests PSQL BACKEND
"""
import sys
import time

from postgres_session import Session
from stage import Stage, wait_until

SECONDS = 2  # of recording while nothing moves


def main():
    folder, port, stage = sys.argv[1], sys.argv[2], Stage(sys.argv[3])
    holder, watcher, by_unix = (Session(folder, port) for _ in range(3))
    by_tcp = Session("127.0.0.1", port)
    watcher.ask("CREATE TABLE desk (id int PRIMARY KEY, pens int)")
    watcher.ask("INSERT INTO desk VALUES (1, 0)")
    holder.ask("BEGIN")
    holder.ask("UPDATE desk SET pens = 1 WHERE id = 1")
    for session in by_unix, by_tcp:
        session.ask("BEGIN")
        session.send("UPDATE desk SET pens = pens + 1 WHERE id = 1")
        wait_until(lambda pid=session.pid: watcher.ask("SELECT wait_event_type FROM pg_stat_activity WHERE pid = %d" % pid) == "Lock",
                   "the session is blocked")
        print("blocked", session.psql.pid, session.pid)
    for session in holder, watcher:
        print("rests", session.psql.pid, session.pid)
    stage.ready()
    time.sleep(SECONDS)
    stage.done()
    stage.over()


main()
