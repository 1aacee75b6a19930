# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A dump: waits for mutexes whose owner is known, and threads that still sleep for each kind of object when it is made.
mkdir -p /tmp/dumps /tmp/asleep
"$BUILD/rwalker-record" --embed=min --flight 20s --offcpu 1 -u -o /tmp/dumps/dump -- sh -c '
	asleep /tmp/asleep 600 >/tmp/asleep.said &
	until grep -q ^ready /tmp/asleep.said; do sleep 0.1; done
	mutexes 3 /tmp/shared >/dev/null'
mv /tmp/dumps/dump-*.rwk trace.rwk
killall asleep
