#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 600
# PostgreSQL: which backends hold a row and queue for it, compared with pg_blocking_pids(); how long syncing the
# write-ahead log took, compared with pg_stat_wal, and for which file; which connections clients and backends wait
# for, and the processes at their other ends; that a backend which queues for a row throughout, and its client, are not
# idle.
. "$(dirname "$0")/lib.sh"

find_server() {
	server=$(find /usr/lib/postgresql -path '*/bin/postgres' 2>/dev/null | sort -V | tail -n 1)
	[ -n "$server" ] || skip "PostgreSQL is not installed"
	PATH=$PATH:$(dirname "$server")
}

# The files are on the disk, not in memory, so that syncs are real. No timer wakes up a queueing backend
# (deadlock_timeout).
start_server() {
	private=$(mktemp -d /var/tmp/rwalker-field.XXXXXX)
	trap 'as_nobody pg_ctl -D "$private/data" -m immediate stop >/dev/null 2>&1; rm -rf "$private"; cleanup' EXIT
	chown nobody:nogroup "$private"
	PGPORT=$(free_ports 1)
	export PGPORT
	as_nobody initdb -D "$private/data" -U nobody --no-sync >"$scratch/initdb.out" 2>&1 || die "$(tail -3 "$scratch/initdb.out")"
	as_nobody pg_ctl -D "$private/data" -w -t 60 -l "$private/log" \
		-o "-k $private -p $PGPORT -c listen_addresses=127.0.0.1 -c track_wal_io_timing=on -c autovacuum=off -c deadlock_timeout=600s" start >/dev/null || die "$(tail -3 "$private/log")"
}

query() { as_nobody psql -XqAt -h "$private" -U nobody postgres -c "$1"; }

test_row_lock() {
	staged locks '--offcpu 0 --wakers -u' python3 -B "$field/postgres_locks.py" "$private" "$PGPORT"
	judged python3 -B "$field/postgres_check.py" locks "$report" "$scratch/locks.rwk" "$scratch/locks.truth"
}

test_clients() {
	staged clients '--offcpu 0' python3 -B "$field/postgres_clients.py" "$private" "$PGPORT"
	judged python3 -B "$field/postgres_check.py" clients "$report" "$scratch/clients.rwk" "$scratch/clients.truth"
}

# For every commit of a client its own backend syncs.
test_syncs() {
	as_nobody pgbench -i -q -s 1 -h "$private" -U nobody postgres >/dev/null 2>&1 || die "pgbench -i failed"
	query "SELECT pg_stat_reset_shared('wal')" >/dev/null
	recorded_while syncs '--offcpu 0 -m 0 -u' setpriv --reuid=nobody --regid=nogroup --clear-groups \
		pgbench -n -N -c 1 -t "$(at_level 300 3000)" -h "$private" -U nobody postgres
	query "SELECT 'wal', wal_sync, round(wal_sync_time * 1000) FROM pg_stat_wal" | tr '|' ' ' >"$scratch/syncs.truth"
	judged python3 -B "$field/postgres_check.py" syncs "$report" "$scratch/syncs.rwk" "$scratch/syncs.truth" "$private"
	test_files
}

# A backend syncs only the write-ahead log. Another server may be running here.
test_files() {
	local waits named nameless
	read -r waits named nameless < <(python3 -B "$field/objects_of.py" "$report" "$scratch/syncs.rwk" '^postgres$' fdatasync "^$private/data/pg_wal/[0-9A-F]{24}$" \
		"^(?!$private/)/")
	figure "postgres: $waits waits in fdatasync, of a file of the write-ahead log $named, of a file without a name $nameless"
	check_number "waits for syncs: $waits" "${waits:-0} >= 100"
	check_equal "their files" "$waits" "$((named + nameless))"
	check_number "their files have names: $nameless have none" "${nameless:-1} <= 0.01 * ${waits:-0}"
}

need_offcpu
find_server
start_server
test_row_lock
test_clients
test_syncs
finish
