#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 900
#
# A process whose mm lock is held (guest/mmlock.c) delays neither start nor stop of the recorder: start <= 2 s, stop <= 1 s.
# Truth: guest/stopwatch.c measures from outside; a read of /proc/PID/maps that hangs proves that the lock is held,
# before and after. Each figure is also compared with the same run on the same guest without such a process. The check
# level only tests how a profile stops: test_user_stacks.sh tests that a walk starts in time.
. "$(dirname "$0")/lib.sh"

# TCG is about ten times slower than a host, and slower still on a busy machine. So if the run without a held lock
# comes near a limit or exceeds it, the limit is twice the time of that run, plus a margin. Time that is not the
# recorder's CPU time has little of that noise and is compared separately: one target may make helpers miss their
# deadline of 200 ms, at the start and at the stop, but cost little more. Waiting for the lock would take forever.
deadline_ms=400
noise_ms=300
slack_ms=1500

# A figure is the best of two turns; at the check level, the best of the turns of up to three boots.
turns=1 runs=endless
is_long && turns="1 2" runs="$runs full all bounded walk"

took_ms() { echo $((($(time_of "$1" 5) - $(time_of "$1" 4)) / 1000000)); }
idle_ms() { echo $((($(time_of "$1" 5) - $(time_of "$1" 4) - $(time_of "$1" 7)) / 1000000)); }
stop_ms() { echo $(($(time_of "$1" 6) / 1000000)); }
each() { for turn in $turns; do "$1" "$2$turn"; done; } # FIGURE RUN : that figure of each turn
best() { each "$@" | sort -n | head -n 1; }
most() { each "$@" | sort -n | tail -n 1; }

within() { # NAME FREE HELD LIMIT, in ms
	allowed=$(($4 > $2 * 2 + slack_ms ? $4 : $2 * 2 + slack_ms))
	echo "# $1: $2 ms without, $3 ms with a held mm lock; limit $4 ms"
	verdict "$1" "$3 ms, limit $allowed ms ($2 ms without a held lock)" [ "$3" -le "$allowed" ]
}

# judge NAME RUN LIMIT SECONDS: all turns of a run that records for that long
judge() {
	free=$(best took_ms "free-$2")
	held=$(best took_ms "held-$2")
	within "$1/$2" $((free - $4 * 1000)) $((held - $4 * 1000)) "$3"
	free=$(most idle_ms "free-$2")
	held=$(best idle_ms "held-$2")
	echo "# $1/$2: waits $free ms without, $held ms with a held mm lock"
	verdict "$1/$2-undelayed" "waits $held ms, $free ms without a held lock" \
		[ "$held" -le $((free + deadline_ms + noise_ms)) ]
}

judge_kernel() { # NAME
	verdict "$1/held" "the mm lock was not held before the recording" grep -q '^held ' "$dir/truth"
	verdict "$1/still-held" "the mm lock was not held after the recording" grep -q '^still-held ' "$dir/truth"
	for run in $runs; do
		for turn in $turns; do
			recorded "$1/free-$run$turn" "free-$run$turn"
			recorded "$1/held-$run$turn" "held-$run$turn"
		done
	done
	within "$1/stop" "$(best stop_ms free-endless)" "$(best stop_ms held-endless)" 1000
	if is_long; then
		judge "$1" full 6000 1 # and embedding
		judge "$1" all 3000 0
		judge "$1" bounded 3000 1 # start 2 s and stop 1 s
		judge "$1" walk 2000 0
	fi
	recorded "$1/last" last && tasks_of "$dir/last.rwk" >"$dir/last.list"
	for name in mm-reader mm-writer; do
		verdict "$1/found-$name" "the default walk does not show it" grep -q "^$name	" "$dir/last.list"
	done
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels 6.12-cloud); do
	judged judge_kernel "mmlock-$kernel" "$kernel" mmlock.sh
done
exit 0
