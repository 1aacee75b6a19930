# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What threads wait for: the workloads of tests/live/test_{locks,mutexes,ready}.sh, a static mutex that two
# shells want, a frozen file system, a block device, all of them in one recording, because the kernel takes longest to
# verify the programs for objects. Then control groups of version 1. Judged by tests/vm/test_objects.sh.
. /lib.sh

events=/sys/kernel/tracing/events

# A shell that enables and disables tracepoints holds the static mutex event_mutex most of the time.
hold_events() {
	echo "$$" >/out/holder
	printf holds >/proc/$$/comm # it waits for the mutex, too
	while [ ! -e /tmp/enough ]; do
		echo 1 >$events/ext4/enable
		echo 0 >$events/ext4/enable
	done
}

# Sets $switches to this shell's context switches, without starting another process.
count_switches() {
	while read -r key value; do
		[ "$key" != voluntary_ctxt_switches: ] || switches=$value
	done </proc/self/status
}

# Tries until it has slept on the mutex five times. Usually the mutex is free, or the task spins.
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

# truth_of NAME COMMAND... : the command prints the truth
truth_of() {
	truth_name=$1
	shift
	"$@" >"/out/$truth_name.truth" || echo "VM-FAIL: '$*' ended with $?"
}

# A thread of mmlock holds the mmap_lock for reading since before the recording. The recorder reads the mappings
# meanwhile, and so is the last reader of the lock when the main thread wants it.
record_late() {
	: >/out/truth
	dm suspend raw
	mmlock "$raw" /tmp/late >>/out/truth 2>>/out/waiters.err &
	until_true 50 in_state mm-reader D
	record late --force --system-wide --offcpu 0 -u --embed=none -- sh /test.sh late
}

in_d() { [ "$(state_of "$1")" = D ]; } # PID

rounds=${rounds:-20}
case ${1:-} in
hold) hold_events; exit ;;
work)
	truth_of locks locks "$rounds" /mnt/a/file
	truth_of mutexes mutexes "$rounds" /mnt/a/shared
	truth_of ready ready "$rounds"
	dd if="$2" of=/dev/null bs=64k count="$rounds" 2>/dev/null
	sh /test.sh hold &
	want_events
	wait
	freeze
	exit
	;;
late)
	sleep 2
	: >/tmp/late
	until_true 100 in_state mm-writer D
	sleep 0.2
	dm resume raw
	exit
	;;
esac
devices_make || exit 1
# A disk can be too fast for a thread to wait for it: this one takes 5 ms.
umount /mnt/b && mount -t ext4 "$(dm create late 65536 delay "/dev/vdb 65536 5")" /mnt/b || exit 1
stat -L -c '%t %T' "$slow" >/out/block.truth
record waits --force --offcpu 0 -m 5us --wakers -u --embed=min -- sh /test.sh work "$slow"
cat /out/waits.out

dd if=/dev/zero of=/mnt/b/cold bs=4096 count=8 conv=fsync 2>/dev/null
# A walk of tasks that sleep on each kind of object, of one that wants to write to a frozen file system, and of one
# that reads a file whose disk does not answer.
mkdir /mnt/a/asleep
asleep /mnt/a/asleep >/out/asleep.truth 2>/out/asleep.err &
until_true 300 grep -q ^ready /out/asleep.truth
fsfreeze --freeze /mnt/b
touch /mnt/b/frozen &
touched=$!
until_true 100 in_d $touched
echo 1 >/proc/sys/vm/drop_caches
dm suspend late
dd if=/mnt/b/cold of=/dev/null bs=4096 skip=2 count=1 2>/dev/null &
until_true 100 in_d $!
record asleep -a --embed=none
dm resume late
fsfreeze --unfreeze /mnt/b

record_claims
! is_long || record_late
record_version_1
exit 0
