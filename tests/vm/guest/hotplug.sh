# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A CPU goes offline and comes back while processes are created on it, first for seconds, then too briefly to be
# noticed.
# Judged by tests/vm/test_hotplug.sh.
. /lib.sh

cpu1=/sys/devices/system/cpu/cpu1/online

# fork_on CPU: starts one short process after the other. A task loses its binding to a CPU that goes offline, so it is
# renewed.
fork_on() {
	taskset -c "$1" sh -c 'while :; do /bin/stopwatch; done' >/dev/null &
	forkers="$forkers $!"
}

# Timer interrupts of CPU 1 so far: on a busy machine an emulated CPU gets fewer per second, and accordingly fewer
# samples.
ticks() { awk '$1 == "LOC:" { print $3 }' /proc/interrupts; }
has_ticked() { [ "$(ticks)" -ge "$1" ]; }

# run_late NAME: starts a program with a thread on each CPU, and lets it run until it has been recorded for some time.
# By then the recorder has checked its rings twice, and has read the program's mappings if their records are missing.
run_late() {
	cp /bin/work "/tmp/$1"
	"/tmp/$1" 600 2 >"/out/$1.work" &
	late=$!
	enough=$(($(ticks) + 500))
	written /out/hotplug.rwk 4
	until_true 600 has_ticked $enough
	kill $late
	wait $late
}

# The start is written in one chunk, events in others, from a second later on.
is_recording() { larger /out/hotplug.rwk 12000; }

cat /sys/devices/system/cpu/possible >/out/possible
have_recorder || exit 0
forkers=
record hotplug -p 600 --offcpu 600 -u -f 97 --no-objects --embed=min &
recorder=$!
until_true 1000 is_recording
fork_on 0
fork_on 1
written /out/hotplug.rwk
echo 0 >$cpu1
sleep 2 # as long as it is away
echo "back $(now)" >>/out/moments
echo 1 >$cpu1
fork_on 1
written /out/hotplug.rwk
run_late late
echo "again $(now)" >>/out/moments
echo 0 >$cpu1
echo 1 >$cpu1
fork_on 1
written /out/hotplug.rwk
run_late later
kill -INT "$(pidof rwalker-record | tr ' ' '\n' | sort -n | head -n 1)"
wait $recorder
kill $forkers
exit 0
