# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Start and stop of the recorder without and with a process whose mm lock is held. Judged by tests/vm/test_mmlock.sh.
. /lib.sh

maps_hang() { # PID: reading /proc/PID/maps does not come to an end within a second
	timeout -s KILL 1 cat "/proc/$1/maps" >/dev/null 2>&1
	[ $? -ne 0 ] && [ -d "/proc/$1" ]
}

runs() { # PREFIX
	for turn in 1 2; do
		record "$1-bounded$turn" -p 1 -u --embed=none
		interrupt=3 record "$1-endless$turn" -p 0 -u --embed=none
	done
	record "$1-walk" --embed=none
	record "$1-all" -a -u --embed=none
	record "$1-full" -p 1 -u
}

devices_make || exit 1
start w-sleep sleep
maps_hang "$started" && { echo "VM-FAIL: the oracle for a held mm lock fires without one"; exit 1; }
have_recorder && runs free

dm suspend raw || exit 1
mmlock "$raw" >>/out/truth 2>>/out/waiters.err &
holder=$!
until_true 50 in_state mm-reader D
until_true 50 in_state mm-writer D
oracle
maps_hang $holder && echo "held $holder" >>/out/truth
have_recorder && runs held
maps_hang $holder && echo "still-held $holder" >>/out/truth
exit 0
