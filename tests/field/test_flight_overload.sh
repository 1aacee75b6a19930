#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 1800
# --flight on a host that is overloaded: waits and programs as fast as possible, a recorder that is stopped for five
# seconds, and one in a control group with little memory and a tenth of a CPU. Memory stays within the plan and CPU
# time within the budget, losses are reported and the account adds up, and a dump and its reports say what was left
# out. When the load is over, everything is recorded.
. "$(dirname "$0")/lib.sh"

stepping=$build/tests/live/recorder/stream_recorder
[ -x "$stepping" ] || die "make test-programs first"
need_recording
need_tool python3

BUDGET=3 # percent of one CPU
RECORDED=(--flight '10s,16M' -p 0 -f 99 --offcpu 0 -m 0 -u --wakers --max-memory 192M --max-dumps 0)

planned() { awk '$1 == "all" { print $NF }' "$1"; }
dumps() { find "$scratch" -maxdepth 1 -name "$1-*.rwk" | wc -l; }
has_dumps() { [ "$(dumps "$1")" -ge "$2" ]; }
last_dump() { find "$scratch" -maxdepth 1 -name "$1-*.rwk" -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2; }

storm() {
	local i
	for i in $(online_cpus | xargs seq); do
		start bash -c "while :; do '$workloads/token_ring' 20 2000000 >/dev/null; done"
		storms="$storms $started"
		start bash -c 'while :; do for i in 1 2 3 4 5 6 7 8; do /bin/true & done; wait; done'
		storms="$storms $started"
	done
}

calm() {
	local storm
	for storm in $storms; do kill -KILL "$storm" $(pgrep -P "$storm") 2>/dev/null; wait "$storm" 2>/dev/null; done
	storms=
}

# rates SECONDS: switches and new processes per second.
rates() {
	local before after
	before=$(awk '/^(ctxt|processes)/ { print $2 }' /proc/stat | tr '\n' ' ')
	sleep "$1"
	after=$(awk '/^(ctxt|processes)/ { print $2 }' /proc/stat | tr '\n' ' ')
	echo "$before $after" | awk -v s="$1" '{ printf "%d switches, %d new processes a second", ($3 - $1) / s, ($4 - $2) / s }'
}

# begin NAME OPTIONS...: starts the recorder, and a process that watches its memory.
begin() {
	local name=$1
	shift
	"$record" "$@" --plan >"$scratch/$name.plan" || fail "$name: the plan does not fit"
	start env RWALKER_CALM_MS=20000 "$stepping" "$@" -o "$scratch/$name" 2>"$scratch/$name.err"
	recorder=$started
	wait_for 60 has_begun || die "$name: the recorder does not start: $(cat "$scratch/$name.err")"
	touch "$scratch/$name.gate"
	python3 "$here/tests/live/outside.py" memory "$recorder" "$scratch/$name.gate" >"$scratch/$name.most" &
	watcher=$!
}

# within_plan NAME: the memory that it has used so far is within the plan.
within_plan() {
	local most looks
	rm "$scratch/$1.gate"
	wait "$watcher"
	read -r most looks <"$scratch/$1.most"
	check_number "$1: took $most MB of the planned $(planned "$scratch/$1.plan")" "$most > 10 && $most <= $(planned "$scratch/$1.plan")"
	figure "$1: at most $most MB, planned $(planned "$scratch/$1.plan"), in $looks looks"
}

# dump NAME: another dump is made, whose account adds up.
dump() {
	local before
	before=$(dumps "$1")
	kill -USR2 "$recorder"
	wait_for 60 has_dumps "$1" $((before + 1)) || { fail "$1: no dump was made"; return; }
	"$report" --info "$(last_dump "$1")" >"$scratch/$1.info" 2>/dev/null
	check "$1: the account adds up" lacks -i 'does not add up\|do not add up' "$scratch/$1.info"
}

end() {
	kill -INT "$recorder"
	wait "$recorder"
	check_number "$1: exit code" "$? % 3 == 0"
}

is_whole() { tail -n 1 "$scratch/storm.err" | grep -q 'more from now on (step 0 '; }

test_storm() {
	local used i over=0
	storms=
	begin storm "${RECORDED[@]}" --max-cpu $BUDGET
	storm
	figure "storm: $(rates 5)"
	wait_for 60 grep -q 'less from now on' "$scratch/storm.err" || die "storm: this machine's storm is within the budget"
	sleep 10
	for i in 1 2 3 4 5; do
		used=$(python3 "$here/tests/live/outside.py" cpu "$recorder" 10)
		figure "storm: $used% of the $BUDGET% that it may use, in 10 s"
		awk "BEGIN { exit !($used > 1.2 * $BUDGET) }" && over=$((over + 1))
	done
	check_equal "storm: stretches of 10 s beyond a fifth more than the budget" 0 "$over"
	figure "storm: $(tail -n 1 "$scratch/storm.err")"
	dump storm
	check "storm: the dump says it" grep -qE '^  recorded less +from [0-9.]+ s to [0-9.]+ s: ' "$scratch/storm.info"
	check "storm: steps are in the dump" grep -q '^  regime .* step=[1-9]' <("$report" --dump "$(last_dump storm)")
	for view in --top-waits --digest --chains --summary; do
		check "storm: $view says it" grep -qE 'from [0-9.]+ s to [0-9.]+ s the recorder left out' \
			<("$report" $view "$(last_dump storm)" 2>&1)
	done
	calm
	wait_for 900 is_whole || fail "storm: it does not record all again: $(tail -n 2 "$scratch/storm.err")"
	figure "storm: $(grep -c 'less from now' "$scratch/storm.err") steps down, $(grep -c 'more from now' "$scratch/storm.err") up"
	within_plan storm
	end storm
}

# Without a budget, so that as many events as possible happen while it is stopped.
test_stopped() {
	storms=
	begin stopped "${RECORDED[@]}"
	storm
	sleep 3
	kill -STOP "$recorder"
	sleep 5
	kill -CONT "$recorder"
	sleep 1
	dump stopped
	figure "stopped: $(grep -E '^  lost ' "$scratch/stopped.info" | head -n 1)"
	check "stopped: what was lost is said" grep -qE '[0-9]+ .*lost' "$scratch/stopped.info"
	check "stopped: and not that nothing was" lacks -E '^  lost +nothing' "$scratch/stopped.info"
	within_plan stopped
	end stopped
	calm
}

# limit FILE OF VERSION 2, FILE OF VERSION 1, VALUES...: sets a limit of the group, if its hierarchy has the controller.
limit() {
	[ -e "$1" ] && echo "$3" >"$1" && return
	[ -e "$2" ] && echo "$4" >"$2"
}

# group CONTROLLER: makes a group in the hierarchy that has the controller.
group() {
	local base
	base=$(awk -v c="$1" '$3 == "cgroup" && $4 ~ "(^|,)" c "(,|$)" { print $2; exit }' /proc/mounts)
	[ -n "$base" ] || base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$base" ] || return 1
	make_cgroup "$base/rwalker-overload-$1-$$"
}

# A shell moves itself into the groups and becomes the recorder, so everything that it uses is charged to them.
test_limited() {
	local plan memory cpu most
	storms=
	group memory && memory=$cgroup && group cpu && cpu=$cgroup || { echo "# not run: no control groups"; return; }
	"$record" "${RECORDED[@]}" --max-cpu $BUDGET --plan >"$scratch/limited.plan"
	plan=$(awk -v mb="$(planned "$scratch/limited.plan")" 'BEGIN { printf "%d", (mb + 16) * 1048576 }')
	limit "$memory/memory.max" "$memory/memory.limit_in_bytes" "$plan" "$plan" &&
		limit "$cpu/cpu.max" "$cpu/cpu.cfs_quota_us" '10000 100000' 10000 || { echo "# not run: no limits can be set"; return; }
	start bash -c 'echo $$ >"$1/cgroup.procs"; echo $$ >"$2/cgroup.procs"; shift 2; exec "$@"' - "$memory" "$cpu" \
		"$record" "${RECORDED[@]}" --max-cpu $BUDGET -o "$scratch/limited" 2>"$scratch/limited.err"
	recorder=$started
	wait_for 300 has_begun || die "limited: the recorder does not start: $(cat "$scratch/limited.err")"
	storm
	sleep 20
	check "limited: it lives" kill -0 "$recorder"
	dump limited
	calm
	most=$(cat "$memory/memory.peak" "$memory/memory.max_usage_in_bytes" 2>/dev/null | head -n 1)
	figure "limited: at most $most of $plan bytes; $(grep -E '^  lost ' "$scratch/limited.info" | head -n 1)"
	check_number "limited: memory" "$most > 1e7 && $most <= $plan"
	check "limited: nobody was killed" lacks -E '^oom_kill [1-9]' "$(find "$memory" -name memory.oom_control -o -name memory.events | head -n 1)"
	end limited
}

test_storm
test_stopped
test_limited
finish
