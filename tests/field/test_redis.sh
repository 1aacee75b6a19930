#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 300
# redis, as Debian ships it: its CPU time and the share of one command, compared with its own account (INFO cpu),
# and a client's waits for it.
. "$(dirname "$0")/lib.sh"

answers() { redis-cli -s "$private/socket" PING 2>/dev/null | grep -q PONG; }

start_server() {
	make_private
	start_nobody redis-server --port 0 --unixsocket "$private/socket" --save '' --appendonly no --dir "$private" >"$scratch/redis.log"
	server=$started
	wait_for 30 answers || die "$(tail -3 "$scratch/redis.log")"
	seq 1 20000 | awk '{ print "RPUSH numbers", ($1 * 7919) % 20011 }' | redis-cli -s "$private/socket" >/dev/null
}

test_cpu() {
	local word before sorted after ours share truth
	staged redis '-p 0 --dwarf' python3 -B "$field/redis_load.py" cpu "$private/socket"
	read -r word before sorted after <"$scratch/redis.truth"
	folded "$scratch/redis.rwk" -c '^redis-server$' --source cpu >"$scratch/redis.folded"
	ours=$("$report" --tree --source cpu --tid "$server" "$scratch/redis.rwk" 2>/dev/null | sed -nE 's/^# cpu .*, ([0-9.]+) ms in .*/\1/p')
	truth=$(awk "BEGIN { print ($after - $before) / 1000 }")
	sorted=$(awk "BEGIN { print ($sorted - $before) / ($after - $before) }")
	share=$(folded_share "$scratch/redis.folded" ';sortCommand')
	figure "redis: CPU time $truth ms by INFO cpu, $ours ms recorded; share while SORT ran $sorted, share in sortCommand $share"
	check_number "CPU time of the server within 4 %: INFO $truth ms, recorded $ours ms" "($ours - $truth) ^ 2 <= (0.04 * $truth) ^ 2"
	check_number "share of SORT within 4 points: $sorted, recorded $share" "($share - $sorted) ^ 2 <= 0.04 ^ 2"
	check_number "stacks that reach main" "$(folded_share "$scratch/redis.folded" ';main(;|_| )') > 0.97"
}

# A client waits as long as the server is busy, and the server ends the wait.
test_wait() {
	staged wait '--offcpu 0 --wakers' python3 -B "$field/redis_load.py" wait "$private/socket"
	judged python3 -B "$field/lock_check.py" "$report" "$scratch/wait.rwk" "$scratch/wait.truth" "redis client"
}

need_offcpu
need_field redis-server redis-benchmark redis-cli
start_server
test_cpu
test_wait
finish
