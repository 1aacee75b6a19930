# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tasks in every state that can be held, and the walks that must find them. Judged by tests/vm/test_walk.sh.
. /lib.sh

in_state_of() { [ "$(state_of "$1")" = "$2" ]; } # PID STATE
has_switched() { [ "$(switches_of "$1")" -gt "$(cat "/tmp/switches-$1")" ]; } # PID: since it was stopped

devices_make || exit 1
# Three of them, because one that is just being woken is neither in D nor in R.
tickers=
for name in ticker uticker vticker; do
	waiter $name tick "$slow" >/out/ticks-$name 2>>/out/waiters.err &
	tickers="$tickers $!"
done
have_recorder && record quiet -s --no-objects --embed=none

# Tasks that sleep forever: from here on /dev/dm-N of "a" and "raw" is suspended and /mnt/b is frozen.
echo dirt >/mnt/a/file
fsfreeze --freeze /mnt/b
dm suspend a && dm suspend raw || exit 1
start w-read read "$raw" 4096
until_true 50 in_state w-read D
start w-sync sync /mnt/a
until_true 50 in_state w-sync D
settle w-sync
start w-sync2 sync /mnt/a
until_true 50 in_state w-sync2 D
settle w-sync2
start w-create create /mnt/b/new
start w-vfork vfork
start w-sleep sleep
start w-stop stop
until_true 50 in_state w-stop T

mkdir -p /tmp/freezer
mount -t cgroup -o freezer freezer /tmp/freezer && mkdir /tmp/freezer/cold
start w-frozen sleep
until_true 50 told w-frozen
echo "$started" >/tmp/freezer/cold/cgroup.procs
echo FROZEN >/tmp/freezer/cold/freezer.state
echo "frozen $started $(now)" >>/out/truth

# w-burn must go to sleep after seconds without a switch, so it has CPU 1 to itself.
# shellcheck disable=SC2086
kill -STOP $tickers
for pid in $tickers; do until_true 50 in_state_of "$pid" T && switches_of "$pid" >"/tmp/switches-$pid"; done
echo 0 >/proc/sys/kernel/watchdog
echo 300 >/proc/sys/vm/stat_interval
for pid in /proc/[0-9]*; do taskset -p 1 "${pid#/proc/}"; done >/dev/null 2>&1
taskset 2 waiter w-burn burn /mnt/b/burnt 1 >>/out/truth 2>>/out/waiters.err &
for name in w-read w-sync w-sync2 w-create w-vfork; do until_true 50 in_state $name D; done
until_true 250 in_state w-burn D
taskset -p 3 $$ >/dev/null
# shellcheck disable=SC2086
kill -CONT $tickers
for pid in $tickers; do until_true 50 has_switched "$pid"; done
oracle
for pid in /proc/[0-9]*; do echo "$(basename "$pid") $(state_of "$(basename "$pid")")"; done >/out/states
cat /proc/kallsyms >/out/kallsyms
have_recorder || exit 0

record walk --embed=none
record stuck -s --no-objects --embed=none
start w-young read "$raw" 8192
until_true 50 in_state w-young D
# The seconds that the youngest of the others has waited, at least 3.
while :; do
	age=$((($(now) - $(awk '$2 == "w-burn" { print $5 }' /out/truth)) / 1000000000))
	[ $age -lt 3 ] || break
	sleep 0.2
done
echo "$age" >/out/waiting-seconds
record waiting -w "$age" --no-objects --embed=none
start w-spin spin
record all -a --no-objects --embed=none
exit 0
