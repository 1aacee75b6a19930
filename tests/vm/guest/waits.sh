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
	# Short-lived processes, with few free ids.
	echo 400 >/proc/sys/kernel/pid_max
	work churn churn 300
	echo 32768 >/proc/sys/kernel/pid_max
}

# turn NAME QUOTA THREADS NAP_US : threads in a control group with that quota, us in 100 ms
turn() {
	mkdir "/sys/fs/cgroup/$1"
	echo "$2 100000" >"/sys/fs/cgroup/$1/cpu.max"
	accounted quota "$1" "$3" 1000 "$4" "/sys/fs/cgroup/$1"
	sed -n "s/^throttled_usec /group $1 /p" "/sys/fs/cgroup/$1/cpu.stat"
}

# Threads that want a quota, and one that wants a CPU beside such a thread.
quotas() {
	echo "+cpu" >/sys/fs/cgroup/cgroup.subtree_control
	turn ten- 10000 1 0
	turn wide- 150000 4 0
	turn naps- 20000 2 500
	accounted quota want- 1 1000 0 - &
	turn both- 50000 1 0
	wait
}

case ${1:-} in
longer | each | quotas)
	"$@"
	exit
	;;
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
cat /out/longer.out /out/each.out
exit 0
