# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Workloads that know their waits, under the recorder: the truth is /out/NAME.truth, the trace /out/NAME.rwk. Judged by
# tests/vm/test_waits.sh. What waits were for is read by the first ones only: each start verifies the programs for it, which takes
# seconds here.
. /lib.sh

# waits_run NAME 'OPTIONS' KIND ARGUMENT... : the recorder's stdout is the workload's
waits_run() {
	waits_name=$1 waits_options=$2
	shift 2
	# shellcheck disable=SC2086
	record "$waits_name" --offcpu 0 $waits_options --embed=none -- waits "$@"
	mv "/out/$waits_name.out" "/out/$waits_name.truth"
}

# The recorder is stopped for 5 s in the middle.
stopped() {
	waits_run "$@" &
	waits_job=$!
	until_true 200 pidof waits >/dev/null
	written "/out/$1.rwk"
	recorder=$(pidof rwalker-record | tr ' ' '\n' | sort -n | head -n 1)
	kill -STOP "$recorder"
	sleep 5 # as long as it is stopped
	kill -CONT "$recorder"
	wait $waits_job
}

sleepers() { # NAME MS...
	early_name=$1
	shift
	early "$@" >"/out/$early_name.truth" &
	early_pid=$!
}

# Waits under way at the start; those of $1, a process, for longer than the others.
early_waits() {
	until_true 300 grep -q '^asleep' /out/old.truth
	sleepers young 100 1000
	until_true 300 grep -q '^asleep' /out/young.truth
	record early --offcpu 0 --wakers --embed=none --system-wide -c '^(fair|busy|vfork|fifo|fbusy|dl)-' -- sh -c "
		sleep 0.1
		kill -USR1 $1 $early_pid
		until grep -q done /out/old.truth && grep -q done /out/young.truth; do sleep 0.1; done
		sleep 0.2"
	kill "$1" "$early_pid"
	cat /out/old.truth /out/young.truth >/out/early.truth
}

have_recorder || exit 0
devices_make || exit 1
sleepers old 100
old=$early_pid
late=$(dm create late 65536 delay "/dev/vdb 131072 2000")
crawl=$(dm create crawl 8192 delay "/dev/vdb 131072 50")

waits_run sleeps '--wakers -u' sleeps 1
waits_run chain '--wakers -u' chain 10
waits_run disk '--wakers' disk "$late" 2
waits_run faults '-u' faults "$crawl"
waits_run spin '--wakers --no-objects' spin 1
waits_run cancelled '-m 0 --wakers --no-objects' cancel 1
waits_run account '-m 0 --no-objects' mixed 2

early_waits "$old"

echo 400 >/proc/sys/kernel/pid_max
waits_run churn '-m 0 -u --no-objects' churn 300 # a CPU that was stopped meanwhile makes waits shorter
echo 32768 >/proc/sys/kernel/pid_max

stopped stopped '-m 0 --ringbuf-size 1 --no-objects' storm 7

# A disk on which something else takes all space in the middle of it, except what the recorder leaves free (64 MB).
mkdir -p /tmp/small
mount -t tmpfs -o size=80m none /tmp/small
stopwatch full 0 rwalker-record --offcpu 0 -m 0 --wakers --no-objects --embed=none -o /tmp/small/full.rwk -- \
	sh -c 'waits sleeps 3 >/out/full.truth & waits storm 3 >/out/full.storm; wait' 2>/out/full.err </dev/null &
until_true 200 larger /tmp/small/full.rwk 50000
dd if=/dev/zero of=/tmp/small/other bs=1M count=30 2>/dev/null
wait
cp /tmp/small/full.rwk /out/
exit 0
