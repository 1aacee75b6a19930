# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The kernel's own contentions of locks while the workload of tests/live/test_locks.sh is recorded. Judged by
# tests/vm/test_objects.sh.
. /lib.sh

# The contentions go to /out/NAME.contention.
record_beside() { # NAME OPTION...
	instance=/sys/kernel/tracing/instances/$1
	mkdir $instance
	echo mono >$instance/trace_clock
	echo 16384 >$instance/buffer_size_kb
	echo 1 >$instance/events/lock/enable
	record "$@"
	echo 0 >$instance/events/lock/enable
	cat $instance/trace >"/out/$1.contention"
	rmdir $instance
}

devices_make || exit 1
record_beside locks --force --offcpu 0 -m 100us --embed=none -- locks "${rounds:-20}" /mnt/a/file
exit 0
