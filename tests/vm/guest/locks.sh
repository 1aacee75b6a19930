# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Waits for locks of the kernel and for mutexes: the workloads of tests/live/test_locks.sh and test_mutexes.sh, a static mutex that two
# shells want, a frozen file system.
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

# Sets $switches, of this shell, without starting another process.
count_switches() {
	while read -r key value; do
		[ "$key" != voluntary_ctxt_switches: ] || switches=$value
	done </proc/self/status
}

# Until it has slept for the mutex five times. Mostly it comes when that is free, or spins.
want_events() {
	slept=0 tries=0
	exec 3>$events/signal/signal_generate/enable # opening it takes the mutex, too
	while [ $slept -lt 5 ] && [ $tries -lt 5000 ]; do
		count_switches
		before=$switches
		echo 0 >&3
		count_switches
		[ "$switches" = "$before" ] || slept=$((slept + 1))
		tries=$((tries + 1))
		sleep 0.01
	done
	[ $slept -ge 5 ] || echo "VM-FAIL: slept $slept times for event_mutex in $tries tries"
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

in_d() { [ "$(state_of "$1")" = D ]; } # PID

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
record mutexes --force --offcpu 0 -- mutexes "${rounds:-20}" /mnt/a/shared
cp /out/mutexes.out /out/mutexes.truth
record others --force --offcpu 0 -m 100us --embed=none -- sh /test.sh want

# Walks: of those who sleep on each kind of object, and of one that wants to write to a frozen file system.
mkdir /mnt/a/asleep
asleep /mnt/a/asleep >/out/asleep.truth 2>/out/asleep.err &
until_true 300 grep -q ^ready /out/asleep.truth
record asleep -a --embed=none
fsfreeze --freeze /mnt/b
touch /mnt/b/frozen &
touched=$!
until_true 100 in_d $touched
record frozen --embed=none
fsfreeze --unfreeze /mnt/b
exit 0
