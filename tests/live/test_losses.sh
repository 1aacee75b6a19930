#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Loss identity per CPU: what the kernel produced = what was recorded + what was lost by
# cause; also if the ring overflows and while the recorder is stopped. The long level takes longer.
# two tries: the workload reads clocks, which also stand still when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

start_load() {
	start "$workloads/burn" load_user 600; load_user=$started
	start "$workloads/burn" load_kernel 600 kernel; load_kernel=$started
}
let_load() { kill -"$1" "$load_user" "$load_kernel"; } # CONT, or STOP

# "CPU n: A seen = B recorded + C idle + ... ; D more were counted by the kernel but not
# delivered, E of them while the CPU was idle" of --info, as "seen recorded idle own filtered lost not-delivered".
seen_rows() {
	sed -nE 's/^ *CPU [0-9]+: ([0-9]+ seen.*)/\1/p' "$scratch/$1.info" | sed 's/[^0-9]/ /g' |
		awk '{ $1 = $1; print NF < 7 ? $0 " 0" : $0 }'
}

# The table below it: "wanted recorded lost-by-cause...".
wanted_rows() { sed -nE 's/^ *CPU [0-9]+ +([0-9 ]+)$/\1/p' "$scratch/$1.info"; }

# Every event seen is recorded, left out or lost; every loss has a cause; and the kernel's own
# count is that of a clock that ticks at the source's frequency, for at least SECONDS.
check_identity() { # NAME SECONDS
	local frequency
	frequency=$(source_field "$scratch/$1.rwk" frequency)
	"$report" --no-local-files --info "$scratch/$1.rwk" >"$scratch/$1.info" 2>"$scratch/$1.note"
	seen_rows "$1" >"$scratch/seen"
	wanted_rows "$1" >"$scratch/wanted"
	check_equal "$1: CPUs in the account" "$(online_cpus) $(online_cpus)" \
		"$(wc -l <"$scratch/seen") $(wc -l <"$scratch/wanted")"
	check_equal "$1: seen = recorded + idle + own + filtered + lost" "" \
		"$(awk '$1 != $2 + $3 + $4 + $5 + $6' "$scratch/seen")"
	check_equal "$1: wanted = recorded + lost by cause" "" \
		"$(awk '{ sum = 0; for (i = 2; i <= NF; i++) sum += $i } $1 != sum' "$scratch/wanted")"
	check_equal "$1: both tables agree" "$(awk '{ print $2 + $6, $2 }' "$scratch/seen")" \
		"$(awk '{ print $1, $2 }' "$scratch/wanted")"
	seconds=$(sed -nE 's/^ *source +1: .* from ([0-9.]+) s to ([0-9.]+) s.*/\2 - \1/p' "$scratch/$1.info" |
		awk "{ print \$1 - \$3 }")
	check_number "$1: it samples for as long as was asked, or until the recorder may run" "$seconds >= $2 - 0.1"
	check_equal "$1: CPUs whose clock does not add up" "" \
		"$(awk -v want="$(awk "BEGIN { print $frequency * $seconds }")" '{ n = $1 + $7 } n < 0.98 * want || n > 1.02 * want' "$scratch/seen")"
	recorded=$(awk '{ n += $2 } END { print n + 0 }' "$scratch/seen")
	lost=$(awk '{ n += $6 } END { print n + 0 }' "$scratch/seen")
}

check_counted() { # NAME: the file has as many samples as it says
	check_equal "$1: samples in the file" "$recorded" "$("$report" --no-local-files --folded "$scratch/$1.rwk" 2>/dev/null |
		folded_sum /dev/stdin)"
}

test_quiet() {
	let_load CONT
	recorded quiet "$record" --force -p 2 -u -f 4000 -o "$scratch/quiet.rwk"
	let_load STOP
	check_identity quiet 2
	check_counted quiet
	check_equal "lost without pressure" 0 "$lost"
	run_code quiet 0 "$report" --no-local-files --tree "$scratch/quiet.rwk"
}

test_small_ring() {
	local code
	let_load CONT
	"$record" -p 2 -u -f 20000 --ringbuf-size 1 --embed none -o "$scratch/tiny.rwk" 2>"$scratch/tiny.err"
	code=$?
	let_load STOP
	check_identity tiny 2
	check_equal "exit code with $lost lost" "$((lost ? 3 : 0))" $code
	check_counted tiny
}

# CPU time of the load, in hundredths of a second.
load_time() { sed 's/.*) //' /proc/{"$load_user","$load_kernel"}/stat | awk '{ n += $12 + $13 } END { print n }'; }
has_burned() { [ "$(load_time)" -ge "$1" ]; }
has_lasted() { [ $((SECONDS - $1)) -gt "$2" ]; } # whether at least $2 seconds have passed since SECONDS was $1

# A recorder that is stopped while its events fill the ring several times cannot drain it: events are lost, and counted.
test_stopped_recorder() {
	let_load CONT
	"$record" -p 600 -u -f 20000 --ringbuf-size 1 --embed none -o "$scratch/stopped.rwk" 2>"$scratch/stopped.err" &
	local recorder=$! least
	least=$(at_level 2 3) # seconds
	children="$children $recorder"
	wait_for 60 has_samples "$scratch/stopped.rwk" 1000 || die "nothing is recorded"
	local samples_since=$SECONDS
	kill -STOP "$recorder"
	wait_for 100 has_burned $(($(load_time) + $(at_level 200 400))) || die "the load does not run"
	wait_for 100 has_lasted "$samples_since" "$least" || die "time stands still"
	let_load STOP
	kill -CONT "$recorder"
	kill -INT "$recorder"
	wait "$recorder"
	check_equal "exit code of a recorder that lost events" 3 $?
	check_identity stopped "$least"
	check_counted stopped
	check_number "lost while stopped" "$lost > 1000"
	"$report" --no-local-files --tree "$scratch/stopped.rwk" >/dev/null 2>"$scratch/tree.err"
	check_equal "exit code of a report with losses" 3 "$?"
}

# rows_of NAME BRIEF OPTION... SECONDS: records waits; true if that many brief ones were counted.
rows_of() {
	local name=$1
	run "$name" "$record" --embed none --force -o "$scratch/$name.rwk" "${@:3:$#-3}" --offcpu "${!#}"
	check_ended "$name" $? "$scratch/$name.rwk" || return
	"$report" --no-local-files --info "$scratch/$name.rwk" >"$scratch/$name.info" 2>&1
	brief=$(sed -nE 's/^ *CPU [0-9]+: .* \+ ([0-9]+) brief.*/\1/p' "$scratch/$name.info" | awk '{ n += $1 } END { print n + 0 }')
	[ "$brief" -ge "$2" ]
}

# check_rows NAME BRIEF OPTION...: each row of --info adds up, whatever the recording leaves out.
check_rows() {
	local name=$1
	growing 1 rows_of "$@"
	sed -nE 's/^ *CPU ([0-9]+: [0-9]+ seen = [^;]*).*/\1/p' "$scratch/$name.info" >"$scratch/rows"
	check_number "$name: rows" "$(wc -l <"$scratch/rows") > 0"
	check_equal "$name: rows of which the right side is not what was seen" "" "$(awk -F '[:=+]' '{
		split($2, seen, " ")
		sum = 0
		for (i = 3; i <= NF; i++) sum += $i + 0
		if (sum != seen[1]) print }' "$scratch/rows")"
	check_equal "$name: counts that do not add up" "" "$(grep 'do not add up' "$scratch/$name.info")"
	check_number "$name: brief waits in the rows" "$brief >= $2"
}

# A process waits for half a millisecond each time, more than a thousand times a second. With -m 0 no wait is brief.
test_rows_of_waits() {
	local mine
	start python3 -c 'while True: __import__("time").sleep(0.0005)'
	mine=$started
	check_rows all 0 -m 0
	check_equal "all: brief waits in the rows" 0 "$brief"
	check_rows usual 500 -m 1000
	check_rows long 500 -m 100000
	check_rows others 0 -p 1 -m 1000 --wakers -c '^nobody$' --trace sched:sched_switch --rate-limit 10
	kill "$mine"
}

# What the kernel counted = periods seen + ticks not delivered, some of them while the CPU was idle.
test_counters() {
	run_ok counters "$record" -p 2 --sw-perf --embed none --force -o "$scratch/counters.rwk" || return
	"$report" --dump "$scratch/counters.rwk" | grep '^  counter' | tr '=' ' ' >"$scratch/counters"
	check_equal "counters" "$(online_cpus)" "$(wc -l <"$scratch/counters")"
	check_equal "counters that are not what was seen and missed, within two ticks" "" "$(awk -v period="$(source_field "$scratch/counters.rwk" period)" '{
		counted = $9; seen = $11; missed = $13; idle = $15; enabled = $17; running = $19
		off = (counted - seen) / period - missed
		if (off < -1 || off > 2 || idle > missed || running != enabled || enabled < 1.9e9) print }' "$scratch/counters")"
}

need_recording
need_tool python3
test_rows_of_waits
test_counters
start_load
let_load STOP
test_quiet
test_small_ring
test_stopped_recorder
finish
