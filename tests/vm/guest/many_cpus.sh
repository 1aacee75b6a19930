# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A host with many CPUs: one short process on each of them, which sleeps and computes. Judged by tests/vm/test_many_cpus.sh.
. /lib.sh

nproc >/out/cpus
if [ "${1:-}" = load ]; then
	cpu=0
	while [ $cpu -lt "$(nproc)" ]; do
		taskset -c $cpu sh -c 'sleep 1; turn=0; while [ $turn -lt 3000 ]; do turn=$((turn + 1)); done' &
		cpu=$((cpu + 1))
	done
	wait
	# The oldest of its processes, from which the others were forked, has all the rings.
	sed -n 's/^VmHWM:[^0-9]*//p' "/proc/$(pidof rwalker-record | tr ' ' '\n' | sort -n | head -n 1)/status" >/out/memory
	exit
fi
rwalker-record --plan --force -p 600 --offcpu 600 --wakers -u -f 99 -m 0 >/out/plan 2>&1
record many --force --system-wide -p 600 --offcpu 600 --wakers -u -f 99 -m 0 --embed=none -- sh /test.sh load
exit 0
