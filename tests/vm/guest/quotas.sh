# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Threads of control groups with quotas, and beside a busy CPU, in one recording. Judged by tests/vm/test_waits.sh.
. /lib.sh

# group NAME QUOTA : of a period of 100 ms; max: none
group() {
	mkdir "/sys/fs/cgroup/$1"
	echo "$2 100000" >"/sys/fs/cgroup/$1/cpu.max"
}

account() { # NAME
	sed -n "s/^throttled_usec /throttled $1 /p" "/sys/fs/cgroup/$1/cpu.stat" >>/out/quotas.truth
}

# turn NAME QUOTA THREADS NAP_US
turn() {
	group "$1" "$2"
	quota "$1" "$3" 1500 "$4" "/sys/fs/cgroup/$1" >>/out/quotas.truth
	account "$1"
}

if [ "${1:-}" = run ]; then
	echo "+cpu" >/sys/fs/cgroup/cgroup.subtree_control
	turn ten- 10000 1 0
	turn half- 50000 1 0
	turn tens- 10000 4 0
	turn wide- 150000 4 0
	turn naps- 20000 2 500
	# Both on the first CPU: one wants a quota, the other a CPU.
	group both- 50000
	quota want- 1 1500 0 - >>/out/quotas.truth &
	quota both- 1 1500 0 /sys/fs/cgroup/both- >>/out/quotas.truth
	wait
	account both-
	exit
fi
have_recorder || exit 0
record quotas --offcpu 0 --wakers --embed=none -m ${LEAST:-1} --system-wide -- sh /test.sh run
exit 0
