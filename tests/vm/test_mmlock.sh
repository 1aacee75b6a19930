#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 900
#
# A process whose mm lock is held (guest/mmlock.c) delays neither start nor stop of the recorder: start <= 2 s, stop <= 1 s.
# Truth: guest/stopwatch.c measures from outside; a read of /proc/PID/maps that hangs shows that the lock is held, before and
# after. Each figure is also compared with the same run on the same guest without such a process.
. "$(dirname "$0")/lib.sh"

# TCG is some ten times slower than a host, so to the limits comes what the run without a held lock shows beyond them.
# One target may cost a helper its deadline of 200 ms, at the start and at the stop.
deadline_ms=400
noise_ms=700

took_ms() { echo $((($(time_of "$1" 5) - $(time_of "$1" 4)) / 1000000)); }
stop_ms() { echo $(($(time_of "$1" 6) / 1000000)); }
best() { if [ "$1" -le "$2" ]; then echo "$1"; else echo "$2"; fi; }
over() { if [ "$1" -gt "$2" ]; then echo $(($1 - $2)); else echo 0; fi; }

# What a run bounded to 1 s takes beyond that second: start and stop.
bounded_ms() { echo $(($(best "$(took_ms "$1-bounded1")" "$(took_ms "$1-bounded2")") - 1000)); }
endless_ms() { best "$(stop_ms "$1-endless1")" "$(stop_ms "$1-endless2")"; }

judge() { # NAME WHAT FREE HELD LIMIT
	allowed=$(($5 + $(over "$3" "$5")))
	echo "# $1: $2 takes $3 ms without, $4 ms with a held mm lock; limit $5 ms"
	verdict "$1/$2" "$4 ms, limit $5 ms ($3 ms without a held lock)" [ "$4" -le "$allowed" ]
	verdict "$1/$2-undelayed" "$4 ms, $3 ms without a held lock" [ "$4" -le $(($3 + deadline_ms + noise_ms)) ]
}

judge_kernel() { # NAME
	verdict "$1/held" "the mm lock was not held before the recordings" grep -q '^held ' "$dir/truth"
	verdict "$1/still-held" "the mm lock was not held after the recordings" grep -q '^still-held ' "$dir/truth"
	for run in bounded1 bounded2 endless1 endless2 walk all full; do
		recorded "$1/free-$run" "free-$run"
		recorded "$1/held-$run" "held-$run"
	done
	judge "$1" stop "$(endless_ms free)" "$(endless_ms held)" 1000
	judge "$1" start-and-stop "$(bounded_ms free)" "$(bounded_ms held)" 3000
	judge "$1" walk "$(took_ms free-walk)" "$(took_ms held-walk)" 2000
	judge "$1" walk-all-user "$(took_ms free-all)" "$(took_ms held-all)" 3000
	judge "$1" embedding "$(took_ms free-full)" "$(took_ms held-full)" 6000
	tasks_of "$dir/held-walk.rwk" >"$dir/held-walk.list"
	for name in mm-reader mm-writer; do
		verdict "$1/found-$name" "the default walk does not show it" grep -q "^$name	" "$dir/held-walk.list"
	done
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels); do
	boot "mmlock-$kernel" "$kernel" mmlock.sh && judge_kernel "$kernel"
done
exit 0
