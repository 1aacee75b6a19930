# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Start and stop of the recorder without and with a process whose mm lock is held. Judged by tests/vm/test_mmlock.sh.
. /lib.sh

maps_hang() { # PID: whether reading /proc/PID/maps does not end within a second
	timeout -s KILL 1 cat "/proc/$1/maps" >/dev/null 2>&1
	[ $? -eq 137 ] && [ -d "/proc/$1" ]
}

# The same recordings with and without the lock held, in turn, so that other load on the host affects both.
hold() {
	: >/out/truth
	dm suspend raw || exit 1
	mmlock "$raw" >>/out/truth 2>>/out/waiters.err &
	holder=$!
	until_true 50 in_state mm-reader D
	until_true 50 in_state mm-writer D
}

release() {
	dm resume raw
	wait "$holder"
}

profiles() { # PREFIX TURN
	interrupt=3 record "$1-endless$2" -p 0 -u --embed=none
	is_long || return
	record "$1-full$2" -p 1 -u
	record "$1-bounded$2" -p 1 -u --embed=none
}

walks() { # PREFIX TURN
	is_long || return
	record "$1-all$2" -a -u --no-objects --embed=none
	record "$1-walk$2" --embed=none
}

devices_make || exit 1
sleep 3600 &
maps_hang $! && { echo "VM-FAIL: the oracle for a held mm lock fires without one"; exit 1; }

turns=1
is_long && turns='1 2'
if have_recorder; then
	for turn in $turns; do
		for what in profiles walks; do
			$what free $turn
			hold
			$what held $turn
			release
		done
	done
fi

hold
oracle
maps_hang "$holder" && echo "held $holder" >>/out/truth
have_recorder && record last
maps_hang "$holder" && echo "still-held $holder" >>/out/truth
exit 0
