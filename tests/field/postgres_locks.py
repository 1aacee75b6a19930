#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""postgres_locks.py SOCKET_FOLDER PORT STAGE: an idle session holds a row lock, three others queue behind it: the first before the
recording begins, two during it. Then each passes the row to the next. Prints what PostgreSQL reports:

    holder PID
    asked PID BEGIN             the query was sent then, or later
    blocked PID AT PIDS         pg_blocking_pids() at that moment, while nothing moves
    passing PID AT PIDS         the same while the row passes from one to the next: the PID may be between two waits
    given PID BY END            the query was answered at END, after the session BY had ended its transaction
"""
import select
import sys
import time

from postgres_session import Session
from stage import PATIENCE, Stage, now, wait_until

WAITERS = 3


def blockers(watcher, pid):
    return watcher.ask("SELECT array_to_string(pg_blocking_pids(%d), ',')" % pid)


def ask_for_row(session, watcher):
    session.ask("BEGIN")
    print("asked", session.pid, now())
    session.send("UPDATE shelf SET books = books + 1 WHERE id = 1")
    wait_until(lambda: blockers(watcher, session.pid), "the session is blocked")


def say_who_blocks(word, watcher, sessions):
    for session in sessions:
        moment, pids = now(), blockers(watcher, session.pid)
        if pids:  # else it has just got the row
            print(word, session.pid, moment, pids)


def first_answered(sessions):
    """Who has the row now: PostgreSQL lets the last one in a queue overtake."""
    ready = select.select([session.psql.stdout for session in sessions], [], [], PATIENCE)[0]
    if not ready:
        raise SystemExit("nobody was given the row")
    taker = next(session for session in sessions if session.psql.stdout is ready[0])
    taker.answer()
    return taker


def main():
    folder, port, stage = sys.argv[1], sys.argv[2], Stage(sys.argv[3])
    holder, watcher, *waiters = (Session(folder, port) for _ in range(2 + WAITERS))
    watcher.ask("CREATE TABLE shelf (id int PRIMARY KEY, books int)")
    watcher.ask("INSERT INTO shelf VALUES (1, 0)")
    holder.ask("BEGIN")
    holder.ask("UPDATE shelf SET books = 1 WHERE id = 1")
    print("holder", holder.pid)
    ask_for_row(waiters[0], watcher)
    stage.ready()
    for waiter in waiters[1:]:
        ask_for_row(waiter, watcher)
    for _ in range(3):
        time.sleep(0.2)  # spacing of the truth: moments at which the queue does not move
        say_who_blocks("blocked", watcher, waiters)
    giver = holder
    while waiters:
        say_who_blocks("passing", watcher, waiters)
        giver.ask("COMMIT")
        taker = first_answered(waiters)
        print("given", taker.pid, giver.pid, now())
        giver = taker
        waiters.remove(taker)
    giver.ask("COMMIT")
    stage.done()


main()
