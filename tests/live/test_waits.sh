#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Waits compared with workloads that know their truth (workloads/waits.c): counts and totals within 1 %, the longest
# within 1 ms and at its time, wakers and chains by name; waits that never end, that began before the recording, or
# that were cancelled.
# two tries: the workload reads clocks, which also stand still when the host takes the processor away.
# alone: a thread that must wait for a CPU waits longer, and some waits are told apart by their length.
. "$(dirname "$0")/lib.sh"


test_sleeps() {
	record_waits sleeps '--wakers -u' sleeps "$(at_level 1.5 20)" || return
	check_waits sleeps brackets comms paths:all least:1000 wakers:s10=timer,s16=timer,s40=timer,s150=timer
}

# Three hops: each is shown by name, in the wakers and in the chains.
test_chain() {
	record_waits chain '--wakers -u' chain "$(at_level 20 200)" || return
	check_waits chain brackets comms paths chains at:chain-a,chain-b,chain-c \
		wakers:chain-a=chain-b,chain-b=chain-c,chain-c=timer \
		'waker-stacks:chain-a>chain-b>mutex_give,chain-b>chain-c>pipe_write'
}

# What a softirq delivers in the sender's own call is the sender's wakeup. Where another CPU gets the packet by an
# interrupt, whoever was there is not.
test_tcp_chain() {
	record_waits tcp '--wakers -u' chain "$(at_level 20 200)" tcp || return
	check_waits tcp brackets comms paths chains wakers:chain-a=chain-b,chain-b=chain-c,chain-c=timer \
		'waker-stacks:chain-a>chain-b>mutex_give,chain-b>chain-c>pipe_write'
	if ! command -v ip >/dev/null || ! [ -e /sys/class/net/lo/queues/rx-0/rps_cpus ] || [ "$(nproc)" -lt 2 ]; then
		echo "# not tried: packets that another CPU handles"
		return
	fi
	recorded apart "$record" --force --offcpu 0 --wakers -u -o "$scratch/apart.rwk" -- unshare -n -m sh -c '
		ip link set lo up && mount -t sysfs sysfs /sys && echo 2 >/sys/class/net/lo/queues/rx-0/rps_cpus &&
		exec taskset -c 0 "$@"' sh "$workloads/waits" chain "$(at_level 20 200)" tcp || return
	mv "$scratch/apart.out" "$scratch/apart.truth"
	check_waits apart brackets comms wakers:chain-a=chain-b,chain-b=timer,chain-c=timer
	"$report" --top-waits -c chain-b "$scratch/apart.rwk" >"$scratch/apart.top"
	check "'woken by a softirq', and nobody is named with it" grep -qE 'woken at .* by a softirq, ran' "$scratch/apart.top"
	check "nobody was interrupted by a softirq" lacks 'softirq that' "$scratch/apart.top"
}

test_signal() {
	record_waits signal '--wakers -u' signal "$(at_level 20 200)" || return
	check_waits signal brackets comms paths wakers:sig-sleeper=sig-sender
}

test_churn() {
	record_waits churn '-u' churn "$(at_level 100 3000)" || return
	check_waits churn brackets comms
}

test_several() {
	record_waits several '-m 0 --wakers -u' several "$(at_level 5 50)" || return
	check_waits several sleeps-of:pour paths:all
}

# slow_group FILE: creates a cgroup, $cgroup, whose members get at most 200 reads a second from the disk with the
# file. So page faults on the file sleep, however fast the disk is.
slow_group() {
	local device base
	device=$(stat -c '%Hd:%Ld' "$1")
	[ ! -e "/sys/dev/block/$device/partition" ] || device=$(cat "/sys/dev/block/$device/../dev")
	[ -e "/sys/dev/block/$device/queue" ] || return
	base=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
	if [ -n "$base" ]; then
		make_cgroup "$base/rwalker-waits-$$"
		echo "$device 200" >"$cgroup/blkio.throttle.read_iops_device"
		return
	fi
	base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$base" ] && echo +io 2>/dev/null >"$base/cgroup.subtree_control" || return
	make_cgroup "$base/rwalker-waits-$$"
	echo "$device riops=200" >"$cgroup/io.max"
}

test_faults() {
	dd if=/dev/urandom of="$scratch/cold" bs=1M count=32 conv=fsync status=none
	slow_group "$scratch/cold" || { echo "# not run: the disk of '$scratch' cannot be slowed down here"; return; }
	# shellcheck disable=SC2016
	recorded faults "$record" --force --offcpu 0 -m 0 -u -o "$scratch/faults.rwk" -- \
		sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$cgroup" "$workloads/waits" faults "$scratch/cold" || return
	mv "$scratch/faults.out" "$scratch/faults.truth"
	# Out of 128, enough to judge the rest. A fault that comes late, because others had the CPU, need not sleep.
	check_number "page faults that slept" "$(grep -c '^wait ' "$scratch/faults.truth") >= 20"
	check_waits faults brackets:rough comms paths:rough iowait
}

# D and S, filtered by the recorder, and by the reporter from one trace of both.
test_states() {
	local both only
	record_waits only_d '--state D' states 20 && check_waits only_d state:2,state-d,state-s
	record_waits only_s '--state S' states 20 && check_waits only_s state:1,state-s,state-d
	record_waits states '' states 20 || return
	check_waits states brackets
	check_equal "report --state D: comms" state-d "$(waiting_comms states --state D)"
	check_equal "report --state S -m 10000: comms" "state-child state-s" "$(waiting_comms states --state S -m 10000 -M 100000 -c '^state')"
	both=$(folded "$scratch/states.rwk" --class blocked -c '^state' | folded_sum -)
	only=$(folded "$scratch/states.rwk" --state DS -c '^state' --class blocked | folded_sum -)
	check_equal "report --class blocked and --state DS" "$both" "$only"
}

waiting_comms() { folded "$scratch/$1.rwk" "${@:2}" | folded_comms /dev/stdin | paste -sd' '; } # NAME OPTION...

# Waits that began during the recording and had not ended when it stopped, and waits that began before it.
test_forever() {
	recorded during "$record" --force --offcpu 1 -u -o "$scratch/during.rwk" -- "$workloads/waits" forever 2
	mv "$scratch/during.out" "$scratch/during.truth"
	check_waits during open:during
	: >"$scratch/before.truth"
	"$workloads/waits" forever 600 >"$scratch/before.truth" &
	local sleeper=$!
	children="$children $sleeper"
	wait_for 60 grep -q '^asleep ' "$scratch/before.truth" || die "the sleeper does not start"
	recorded before "$record" --force --offcpu 1 -u --pid "$sleeper" -o "$scratch/before.rwk"
	check_waits before open:before
	check "--summary names the open wait's thread" grep -q forever <<<"$("$report" --summary --throughout "$scratch/before.rwk")"
	check_equal "--class ended leaves the open wait out" "" "$(waiting_comms before --class ended -c '^forever')"
}

# start_sleepers NAME MS...: starts workloads/early.c; sets $early to its process id.
start_sleepers() {
	: >"$scratch/$1.truth"
	"$workloads/early" "${@:2}" >"$scratch/$1.truth" &
	early=$!
	children="$children $early"
}

are_asleep() { wait_for 60 grep -q '^asleep' "$scratch/$1.truth" || die "the sleepers '$1' do not sleep"; }

# Waits under way at the start, in several scheduling classes, young and old, some of which end: they begin when their
# own clocks say, or before a recorded bound.
test_early() {
	local old=$1 young
	start_sleepers young 100 1000
	young=$early
	are_asleep old
	are_asleep young
	run_ok walk "$record" --force -a --pid "$old,$young" -o "$scratch/walk.rwk" || return
	recorded early "$record" --force --offcpu 0 --wakers --system-wide --pid "$old,$young" -o "$scratch/early.rwk" -- \
		sh -c "sleep 0.1; kill -USR1 $old $young; until grep -q done $scratch/old.truth && grep -q done $scratch/young.truth; do sleep 0.05; done; sleep 0.1" ||
		return
	kill "$old" "$young"
	cat "$scratch/old.truth" "$scratch/young.truth" >"$scratch/early.truth"
	judged python3 -B "$here/tests/live/waits_check.py" "$report" "$scratch/early.rwk" "$scratch/early.truth" early early-summary early-at
	judged python3 -B "$here/tests/live/waits_check.py" "$report" "$scratch/walk.rwk" "$scratch/early.truth" early-walk
}

test_unseen() { judged "$build/tests/live/recorder/unseen_switch"; }

need_offcpu
start_sleepers old 100
old=$early
test_sleeps
test_chain
test_tcp_chain
test_signal
test_churn
test_several
test_faults
test_states
test_forever
test_early "$old"
test_unseen
finish
