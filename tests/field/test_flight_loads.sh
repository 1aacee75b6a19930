#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 7200
# Dumps at random times of six loads: a build, a database, redis, every wait (-m 0), stack memory (--dwarf), and 4,000
# processes. Each dump shows the same as that stretch of the whole recording. In full there are 1,000 dumps.
# test_flight_loads.sh [LOAD...]: only these. KEEP=FOLDER: traces that differ are copied there.
. "$(dirname "$0")/lib.sh"

streaming=$build/tests/live/recorder/stream_recorder
[ -x "$streaming" ] || die "make test-programs first"
need_recording
need_tool python3

dumps() { find "$scratch" -maxdepth 1 -name "$1-*.rwk" | wc -l; }
has_dumps() { [ "$(dumps "$1")" -ge "$2" ]; }

# round NAME COUNT OPTIONS...: COUNT dumps, and one at the end. A recording of its own, because all of it is read to
# compare them.
round() {
	local name=$1 count=$2 i
	shift 2
	rm -f "$scratch/$name".stream "$scratch/$name"-*.rwk
	RWALKER_STREAM=$scratch/$name.stream "$streaming" --flight 2s,8M --embed none --max-dumps 0 "$@" -o "$scratch/$name.rwk" \
		2>"$scratch/$name.err" &
	recorder=$!
	children="$children $recorder"
	wait_for 60 has_begun || die "$name: the recorder did not start: $(cat "$scratch/$name.err")"
	sleep 2
	for i in $(seq "$count"); do
		sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
		kill -USR2 "$recorder"
		wait_for 60 has_dumps "$name" "$i" || { fail "$name: dump $i was not made"; break; }
	done
	kill -INT "$recorder"
	wait "$recorder"
	check_number "$name: exit code" "$? % 3 == 0" # 3: events were lost, in dumps and stream alike
	compared=$(python3 "$here/tests/live/flight_check.py" "$report" 0.5 "$scratch/$name.stream" "$scratch/$name"-*.rwk)
	check_equal "$name: dumps show what was recorded" 0 "$?" || [ -z "${KEEP-}" ] || cp "$scratch/$name".stream "$scratch/$name"-*.rwk "$KEEP"
	all_dumps=$((all_dumps + $(dumps "$name")))
	echo "# $name: $compared"
}

# load NAME OPTIONS...: rounds of 57 dumps and one at the end.
load() {
	local i
	[[ -z "$chosen" || " $chosen " = *" $1 "* ]] || return
	for i in $(seq "$(at_level 1 3)"); do round "$1" "$(at_level 3 57)" "${@:2}"; done
}

wanted() {
	local name
	[ -n "$chosen" ] || return 0
	for name; do [[ " $chosen " != *" $name "* ]] || return 0; done
	return 1
}

short_processes() {
	start bash -c "while :; do sh -c 'sort /etc/services | uniq -c | tail -1; sleep 0.005' >/dev/null; done"
}

stop() { kill -KILL "$started"; wait "$started" 2>/dev/null; }

load_make() {
	mkdir "$scratch/tree"
	(cd "$here" && git ls-files -z Makefile tests/Makefile common format report record bpf | xargs -0 cp --parents -t "$scratch/tree") ||
		die "cannot copy the tree"
	start bash -c "while :; do make -j2 -s -C '$scratch/tree' build/shared.a >/dev/null 2>&1; rm -rf '$scratch/tree/build'; done"
	load make -p 0 -f 99 --offcpu 0 --wakers -u -c '^(cc1|gcc|cc|as|make|sh)$'
	stop
}

load_database() {
	start python3 -c '
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("create table rows (number integer primary key, text text)")
number = 0
while True:
    for i in range(50):
        number += 1
        base.execute("insert into rows values (?, ?)", (number, "x" * (number % 100)))
    base.execute("select count(*) from rows where number % 7 = 3").fetchall()
    base.commit()' "$scratch/base"
	load database -p 0 -f 99 --offcpu 0 --wakers -u -c '^python3$'
	stop
}

load_redis() {
	command -v redis-server redis-benchmark >/dev/null || { echo "# not run: redis is not installed"; return; }
	make_private
	start_nobody redis-server --port 0 --unixsocket "$private/socket" --save '' --appendonly no --dir "$private" >"$scratch/redis.log"
	wait_for 30 [ -S "$private/socket" ] || die "$(tail -3 "$scratch/redis.log")"
	start bash -c "while :; do redis-benchmark -q -s '$private/socket' -n 20000 -c 20 -t set,get >/dev/null; done"
	load redis -p 0 -f 99 --offcpu 0 --wakers -u -c '^redis'
	stop
}

load_all() {
	short_processes
	load all -p 0 --offcpu 0 --wakers -m 0 -u -c '^(sort|uniq|tail|sh|sleep)$'
	load dwarf -p 0 -f 99 --offcpu 0 --wakers --dwarf -c '^(sort|uniq|tail|sh|sleep)$'
	stop
}

load_many() {
	local sleeper
	start bash -c 'for i in $(seq 4000); do sleep 7200 & done; wait'
	sleeper=$started
	wait_for 120 eval '[ "$(pgrep -c -P "$started")" -ge 4000 ]' || die "there are no 4,000 processes"
	children="$children $(pgrep -P "$sleeper" | tr '\n' ' ')" # they end with the test, however it ends
	short_processes
	load many -p 0 -f 99 --offcpu 0 --wakers -u -c '^(sort|uniq|tail|sh|sleep)$'
	stop
	kill -KILL "$sleeper" $(pgrep -P "$sleeper")
}

chosen=$*
all_dumps=0
! wanted make || load_make
! wanted database || load_database
! wanted redis || load_redis
! wanted all dwarf || load_all
! wanted many || load_many
figure "$all_dumps dumps of six loads"
finish
