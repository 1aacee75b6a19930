#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Which of several descriptors ended a wait in an epoll, compared with what the calls returned: what is recorded is
# right, also if another file got the descriptor meanwhile, and a wait that timed out is recorded as such. A poll or
# select of one descriptor waits for that; one of several, or whose descriptor another file got, for nothing that is
# known. --waits-on has rows for what was ready, and for waits after which nothing was.
# two tries: a wait is shorter than -m, and has no record, if the host takes the CPU away from the thread first.
. "$(dirname "$0")/lib.sh"

need_offcpu
rounds=$(at_level 80 1000)

recorded ready "$record" --force --offcpu 0 --wakers -m 500us -o "$scratch/ready.rwk" -- "$workloads/ready" "$rounds"
cp "$scratch/ready.out" "$scratch/ready.truth"
check_equal "the workload waited in twelve ways" 12 "$(cut -d' ' -f1 "$scratch/ready.truth" | sort -u | wc -l)"
judged python3 -B "$here/tests/live/objects_check.py" ready "$scratch/ready.rwk" "$scratch/ready.truth" "$rounds"

"$report" --events "$scratch/ready.rwk" >"$scratch/view" 2>/dev/null
check "--events says what was ready" grep -qE 'on epoll [0-9]+ of [^ ]+ [0-9]+ (→|->) fd [0-9]+, pipe:[0-9]+' "$scratch/view"

"$report" --waits-on "$scratch/ready.rwk" >"$scratch/view" 2>/dev/null

# waits COMM TEXT: sum of the counts in the rows of that comm that have the text
waits()
{
	who=$1 text=$2 awk '$8 == ENVIRON["who"] { row = $0; sub(/^.* (in|on) /, "", row); if (row ~ ENVIRON["text"]) sum += $3 }
		END { print sum + 0 }' "$scratch/view"
}

for kind in pipe unix tcp; do
	check_number "--waits-on: epoll, $kind" "$(waits r-epoll "^epoll [0-9]+ of .* -> fd [0-9]+, $kind") >= $rounds / 5"
done
for call in poll select; do
	check_number "--waits-on: $call of one" "$(waits "r-$call-one" "^p?${call}[0-9]? of pipe:[0-9]+ [(]written by ready [0-9]+[)]\$") >= 0.9 * $rounds"
	check_number "--waits-on: $call, no time left" "$(waits "r-$call-time" "^p?${call}[0-9]? of pipe:[0-9]+ -> timeout\$") >= 0.8 * $rounds"
done
check_number "--waits-on: epoll, no time left" "$(waits r-epoll-time '^epoll [0-9]+ of .* -> timeout$') >= 0.8 * $rounds"
finish
