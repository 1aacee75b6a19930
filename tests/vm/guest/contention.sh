# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Traces the kernel's lock contentions while the workload of tests/live/test_locks.sh is recorded, and spin where
# spinlocks sleep; then its executions of work while the workload of tests/live/test_callers.sh is recorded, and file
# systems on slow disks are written to. Judged by tests/vm/test_objects.sh.
. /lib.sh

# record_beside 'EVENT...' NAME OPTION... : the events go to /out/NAME.events.
record_beside() {
	events=$1 instance=/sys/kernel/tracing/instances/$2
	shift
	mkdir "$instance"
	echo mono >"$instance/trace_clock"
	echo 16384 >"$instance/buffer_size_kb"
	for event in $events; do echo 1 >"$instance/events/$event/enable"; done
	record "$@"
	for event in $events; do echo 0 >"$instance/events/$event/enable"; done
	cat "$instance/trace" >"/out/$1.events"
	rmdir "$instance"
}

is_rt() { [ "$(cat /sys/kernel/realtime 2>/dev/null)" = 1 ]; }

case ${1:-} in
locks)
	locks "$rounds" /mnt/a/file >/out/locks.truth || echo "VM-FAIL: locks ended with $?"
	! is_rt || spin "$rounds" >/out/spin.truth || echo "VM-FAIL: spin ended with $?"
	exit
	;;
callers)
	callers "$rounds" /tmp "$slow" >/out/callers.truth || echo "VM-FAIL: callers ended with $?"
	for turn in 1 2 3 4; do
		dd if=/dev/zero of=/mnt/b/file bs=64k count=32 2>/dev/null
		sync
	done
	exit
	;;
esac
devices_make || exit 1
export rounds="${rounds:-20}" slow
record_beside lock locks --force --offcpu 0 -m 100us --embed=none -- sh /test.sh locks
umount /mnt/b && mount -t ext4 "$(dm create late 65536 delay "/dev/vdb 65536 5")" /mnt/b || exit 1
record_beside 'workqueue/workqueue_execute_start workqueue/workqueue_execute_end' callers --force --system-wide --ringbuf-size 16 \
	--offcpu 0 -m 1us --embed=none -- sh /test.sh callers
exit 0
