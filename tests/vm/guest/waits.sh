# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Workloads that know their waits, under the recorder: the truth is /out/WORKLOAD.truth. Judged by
# tests/vm/test_waits.sh. Each start of the recorder verifies its programs, which takes seconds here. So each
# recording has several workloads, one after the other, and none reads what waits were for (objects.sh does).
. /lib.sh

# work NAME KIND ARGUMENT... : runs a workload and keeps its truth
work() {
	work_name=$1
	shift
	waits "$@" >"/out/$work_name.truth" || echo "VM-FAIL: 'waits $*' ended with $?"
}

sleepers() { # NAME MS...
	early_name=$1
	shift
	early "$@" >"/out/$early_name.truth" &
	early_pid=$!
}

is_over() { grep -q '^done' /out/old.truth && grep -q '^done' /out/young.truth; }

# Wakes up what was asleep at the start. Then workloads to be recorded with -m, by default 1 ms.
longer() { # OLD YOUNG LATE CRAWL : OLD and YOUNG are pids, the others devices
	sleep 0.1
	kill -USR1 "$1" "$2"
	until_true 600 is_over
	work sleeps sleeps 1
	work chain chain 10
	work disk disk "$3" 2
	work faults faults "$4"
	work spin spin 1
}

# Workloads that need each wait. Without user stacks, which take time between a thread's last reading of its account
# and its end.
each() {
	work account mixed 2
	work cancelled cancel 1
	is_long || many
}

# Short-lived processes, with few free ids.
many() {
	echo 400 >/proc/sys/kernel/pid_max
	work churn churn 300
	echo 32768 >/proc/sys/kernel/pid_max
}

# turn NAME QUOTA THREADS NAP_US : threads in a control group with that quota, us in 100 ms
turn() {
	mkdir "/sys/fs/cgroup/$1"
	echo "$2 100000" >"/sys/fs/cgroup/$1/cpu.max"
	quota "$1" "$3" 1000 "$4" "/sys/fs/cgroup/$1"
	sed -n "s/^throttled_usec /group $1 /p" "/sys/fs/cgroup/$1/cpu.stat"
}

# Threads that want a quota, and one that wants a CPU beside such a thread.
quotas() {
	echo "+cpu" >/sys/fs/cgroup/cgroup.subtree_control
	turn ten- 10000 1 0
	turn wide- 150000 4 0
	turn naps- 20000 2 500
	quota want- 1 1000 0 - &
	turn both- 50000 1 0
	wait
}

# storm_goes_on PID COUNT : whether its threads have been switched that many times since the first call
storm_goes_on() {
	storm_switches=0
	for storm_task in /proc/"$1"/task/*; do storm_switches=$((storm_switches + $(switches_of "$1/task/${storm_task##*/}"))); done
	[ "$storm_switches" -ge $((${storm_begun:=$storm_switches} + $2)) ]
}

# The recorder is stopped until its rings cannot hold the events that happened meanwhile: each takes more than 64 bytes.
stopped() {
	record stopped --offcpu 0 -m 0 --ringbuf-size 1 --no-objects --embed=none -- sh /test.sh storm &
	stopped_job=$!
	until_true 600 pidof waits >/dev/null
	written /out/stopped.rwk
	recorder=$(pidof rwalker-record | tr ' ' '\n' | sort -n | head -n 1)
	kill -STOP "$recorder"
	until_true 600 storm_goes_on "$(pidof waits)" 30000
	kill -CONT "$recorder"
	written /out/stopped.rwk 1
	kill "$(pidof waits)"
	wait $stopped_job
}

# A disk on which something else takes all space during the recording, except what the recorder leaves free (64 MB).
full() {
	mkdir -p /tmp/small
	mount -t tmpfs -o size=80m none /tmp/small
	stopwatch full 0 rwalker-record --offcpu 0 -m 0 --wakers --no-objects --embed=none -o /tmp/small/full.rwk -- \
		sh /test.sh filling 2>/out/full.err </dev/null &
	full_job=$!
	until_true 600 test -e /tmp/is_filling
	until_true 200 larger /tmp/small/full.rwk $(($(stat -c %s /tmp/small/full.rwk) + 50000))
	dd if=/dev/zero of=/tmp/small/other bs=1M count=30 2>/dev/null
	wait $full_job
	cp /tmp/small/full.rwk /out/
}

filling() {
	: >/tmp/is_filling
	waits sleeps 3 >/out/full.truth &
	waits storm 3 >/out/full.storm
	wait
}

case ${1:-} in
longer | each | many | filling | quotas)
	"$@"
	exit
	;;
storm) exec waits storm 600 >/out/stopped.truth ;;
esac
have_recorder || exit 0
devices_make || exit 1
late=$(dm create late 65536 delay "/dev/vdb 131072 2000")
crawl=$(dm create crawl 8192 delay "/dev/vdb 131072 50")

sleepers old 100
old=$early_pid
until_true 300 grep -q '^asleep' /out/old.truth
sleepers young 100 1000
until_true 300 grep -q '^asleep' /out/young.truth
record longer --offcpu 0 --wakers -u --no-objects --embed=none --system-wide -- sh /test.sh longer "$old" "$early_pid" "$late" "$crawl"
kill "$old" "$early_pid"
cat /out/old.truth /out/young.truth >/out/early.truth
record each --offcpu 0 -m 0 --no-objects --embed=none -- sh /test.sh each
record quotas --offcpu 0 --wakers --embed=none -m 1 --system-wide -- sh /test.sh quotas
is_long && record many --offcpu 0 -m 0 -u --no-objects --embed=none -- sh /test.sh many
cat /out/longer.out /out/each.out
is_long || exit 0
stopped
full
exit 0
