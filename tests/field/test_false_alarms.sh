#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 5400
# No false alarms: builds, redis and a database at a modest rate, under the rules that flight.conf recommends, for an
# hour in full. Other work on this machine may make a rule fire: each alarm is compared with what the kernel reports
# about that time, read from outside.
. "$(dirname "$0")/lib.sh"

seconds=$(at_level 90 3600)

dumps() { ls "$scratch"/alarms-*.rwk 2>/dev/null; }
has_dump() { [ -n "$(dumps)" ]; }

# Uses a quarter of a CPU at most: sleeps three times as long as it works.
load_make() {
	local i
	mkdir "$scratch/tree"
	for i in 1 2 3 4 5 6; do echo "#include <stdio.h>"$'\n'"int part_$i(void) { return printf(\"$i\"); }" >"$scratch/tree/part_$i.c"; done
	printf 'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\nclean:\n\trm -f *.o\n' >"$scratch/tree/Makefile"
	start nice -n 10 bash -c 'cd "$0" && while :; do
		begin=${EPOCHREALTIME/./}
		make -s clean && make -s
		sleep "$(awk "BEGIN { print 3 * (${EPOCHREALTIME/./} - $begin) / 1e6 }")"
	done' "$scratch/tree"
}

load_redis() {
	start_nobody redis-server --port 0 --unixsocket "$private/socket" --save '' --appendonly no --dir "$private" >"$scratch/redis.log"
	wait_for 60 [ -S "$private/socket" ] || die "$(tail -3 "$scratch/redis.log")"
	start bash -c 'while sleep 1; do redis-benchmark -q -s "$0" -n 500 -c 5 -t set,get >/dev/null; done' "$private/socket"
}

# The database's files are on the disk, so that commits are syncs.
load_database() {
	PATH=$PATH:$(dirname "$(find /usr/lib/postgresql -path '*/bin/postgres' | sort -V | tail -n 1)")
	as_nobody initdb -D "$private/data" -U nobody --no-sync >"$scratch/initdb.out" 2>&1 || die "$(tail -3 "$scratch/initdb.out")"
	as_nobody pg_ctl -D "$private/data" -w -t 120 -l "$private/log" -o "-k $private -c listen_addresses=" start >/dev/null ||
		die "$(tail -3 "$private/log")"
	as_nobody pgbench -i -q -s 2 -h "$private" -U nobody postgres >/dev/null 2>&1 || die "pgbench -i failed"
	start_nobody pgbench -n -c 2 -R 50 -T $((seconds + 60)) -h "$private" -U nobody postgres >"$scratch/pgbench.out" 2>&1
}

# All rules that the file recommends, whether commented out or not, one for the control group of the loads, and a
# command that fails.
rules() {
	sed -n 's/^#\?--trigger //p' "$here/record/service/flight.conf"
	echo "cpu:$cgroup>80%/5s"
	echo "exec:'test -e $scratch/flag'/10s"
}

begin() {
	local rule options=()
	while read -r rule; do options+=(--trigger "$rule"); done < <(rules)
	start "$record" --flight 60s,64M -p 0 -f 99 --offcpu 0 --wakers -u "${options[@]}" --cooldown 30s --max-dumps 0 --embed none \
		-o "$scratch/alarms" 2>"$scratch/alarms.err"
	recorder=$started
	wait_for 60 has_begun || die "the recorder did not start: $(cat "$scratch/alarms.err")"
}

# The alarms in the dumps, which overlap, so that none is missed.
collect() {
	local dump
	for dump in $(dumps); do
		"$report" --dump "$dump" 2>/dev/null | grep -a '^ *trigger ' >>"$scratch/triggers"
		rm "$dump"
	done
}

record_alarms() {
	local end=$((SECONDS + seconds)) asked=$SECONDS
	while [ $SECONDS -lt $end ]; do
		sleep 5
		has_dump && asked=$SECONDS
		collect
		[ $((SECONDS - asked)) -lt 40 ] || { kill -USR2 "$recorder"; asked=$SECONDS; }
	done
	kill -INT "$recorder"
	wait "$recorder"
	check_number "exit code" "$? % 3 == 0" # 3: events were lost
	collect
}

need_offcpu
need_field redis-server redis-benchmark pgbench make gcc
private=$(mktemp -d /var/tmp/rwalker-field.XXXXXX)
trap 'as_nobody pg_ctl -D "$private/data" -m immediate stop >/dev/null 2>&1; kill -KILL $(cat "${cgroup-}/cgroup.procs" 2>/dev/null) 2>/dev/null; cleanup; rm -rf "$private"' EXIT
chown nobody:nogroup "$private"
chmod 711 "$scratch"
own_group=$(sed -n 's/^0:://p' /proc/self/cgroup)
cgroup_of alarms $BASHPID || skip "no cgroup2"
touch "$scratch/running" "$scratch/triggers"
load_make
load_redis
load_database
echo $BASHPID >"$(dirname "$cgroup")$own_group/cgroup.procs" # the recorder is not in that group
begin
start python3 -B "$field/alarms_outside.py" "$scratch/running" "$cgroup" >"$scratch/outside"
record_alarms
rm "$scratch/running"
check "what --trigger can never see" lacks 'can never fire' "$scratch/alarms.err"
python3 -B "$field/alarms_check.py" "$scratch/outside" "$scratch/triggers" >"$scratch/judged"
check_equal "judged" 0 $?
while read -r line; do figure "alarms in $seconds s: $line"; done <"$scratch/judged"
check "no false alarm" lacks '^false ' "$scratch/judged"
check_number "seen all the time: $(grep ^looks "$scratch/judged")" "$(sed -n 's/^looks [0-9]* over //p' "$scratch/judged" | tr -d ' s') > 0.9 * $seconds"
finish
