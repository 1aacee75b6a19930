# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Waits for locks of the kernel: the workload of tests/live/test_locks.sh, a static mutex that two shells want, a frozen file system.
# Judged by tests/vm/test_locks.sh.
. /lib.sh

events=/sys/kernel/tracing/events

# A shell that enables tracepoints and disables them has the static mutex event_mutex most of the time.
hold_events() {
	echo "$$" >/out/holder
	while [ ! -e /tmp/enough ]; do
		echo 1 >$events/ext4/enable
		echo 0 >$events/ext4/enable
	done
}

want_events() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo 0 >$events/signal/signal_generate/enable
		sleep 0.02
	done
	: >/tmp/enough
}

freeze() {
	fsfreeze --freeze /mnt/a
	touch /mnt/a/frozen &
	frozen=$!
	sleep 0.5
	fsfreeze --unfreeze /mnt/a
	wait $frozen
}

case ${1:-} in
hold) hold_events; exit ;;
want)
	sh /test.sh hold &
	want_events
	freeze
	wait
	exit
	;;
esac
devices_make || exit 1
record locks --force --offcpu 0 -m 100us --embed=none -- locks "${rounds:-20}" /mnt/a/file
cp /out/locks.out /out/locks.truth
record others --force --offcpu 0 -m 100us --embed=none -- sh /test.sh want
exit 0
