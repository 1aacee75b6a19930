#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Addresses are those of the sampled process: two processes of one program each have their own, where /proc/PID/maps
# has their code. If a process calls exec, no stack mixes addresses from before and after it, and the call of execve
# itself has a name.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool python3
trace=$scratch/trace.rwk

# --- two processes ---
pids=
for _ in 1 2; do
	start "$workloads/cpu_paths" 60 25 >/dev/null
	pids=${pids:+$pids }$started
done
mapped() { grep -q 'r-xp.*cpu_paths' "/proc/$1/maps" 2>/dev/null; }
for pid in $pids; do wait_for 60 mapped "$pid" || die "the workload does not start"; done
record_twins() { # SECONDS
	run_ok twins "$record" -p "$1" -u --sw-perf -f 999 --force --pid "${pids// /,}" -o "$trace" || return
	for pid in $pids; do
		[ "$("$report" --folded -q --pid "$pid" "$trace" 2>/dev/null | folded_sum - ';(leaf|other) ')" -ge 40 ] || return
	done
}
growing 1 record_twins
for pid in $pids; do grep 'r-xp.*cpu_paths' "/proc/$pid/maps" | sed "s/^/$pid /"; done >"$scratch/maps"
# shellcheck disable=SC2086 # one word each
kill $pids
check_number "the two lie at different addresses" "$(awk '{ print $2 }' "$scratch/maps" | sort -u | wc -l) == 2"

"$report" --export perf-script -q "$trace" >"$scratch/script" 2>/dev/null
python3 - "$scratch/maps" "$scratch/script" >"$scratch/judged" <<'END'
import re, sys
ranges = {}
for line in open(sys.argv[1]):
    pid, place = line.split()[:2]
    ranges[int(pid)] = [int(n, 16) for n in place.split("-")]
inside, outside, pid = {}, 0, None
for line in open(sys.argv[2]):
    if not line.startswith("\t") and line.strip():
        pid = int(re.search(r" (\d+)/\d+ ", line).group(1))
    elif "/cpu_paths)" in line:
        low, high = ranges[pid]
        if low <= int(line.split()[0], 16) <= high:
            inside[pid] = inside.get(pid, 0) + 1
        else:
            outside += 1
print(len([n for n in inside.values() if n > 20]), outside)
END
check_equal "processes with frames, frames that are not where the process has its code" "2 0" "$(cat "$scratch/judged")"

# -v shows each process's own addresses.
for pid in $pids; do
	low=$(awk -v pid="$pid" '$1 == pid { sub(/-.*/, "", $2); print $2 }' "$scratch/maps")
	"$report" --stacks -v -q --per-process "$trace" 2>/dev/null | awk -v pid="($pid)" '
		/cpu_paths/ && $1 ~ /^0x/ { stack = stack " " $1 } $1 == "-" { if (index($0, pid)) print stack; stack = "" }' |
		tr ' ' '\n' | grep . >"$scratch/of_one"
	check_number "-v: frames of process $pid" "$(wc -l <"$scratch/of_one") > 0"
	check_equal "-v: other pages than those of process $pid" 0 \
		"$(awk -v low="${low%???}" '{ sub(/^0x0*/, ""); if (substr($1, 1, length(low) - 3) != substr(low, 1, length(low) - 3)) n++ }
			END { print n + 0 }' "$scratch/of_one")"
done

# --- one process at many places, one after the other ---
fruit=$workloads/churn_apple # burns 20 ms, and calls exec
for how in -u --dwarf; do
	# shellcheck disable=SC2046 # one word for each life
	run_ok "lives$how" "$record" -p 0 $how --sw-perf -f 3989 --force -o "$trace" -- "$fruit" 20 $(printf "$fruit %.0s" {1..12})
	"$report" --export perf-script -q "$trace" 2>/dev/null >"$scratch/script"
	python3 - "$scratch/script" >"$scratch/judged" <<'END'
import sys
stacks, mixed, places = 0, 0, set()
for sample in open(sys.argv[1]).read().split("\n\n"):
    found = [int(line.split()[0], 16) for line in sample.split("\n")[1:] if line.endswith("/churn_apple)")]
    if len(found) > 1:
        stacks += 1
        mixed += max(found) - min(found) > 1 << 20
        places.add(min(found) >> 20)
print(stacks > 50, len(places) > 3, mixed)
END
	check_equal "$how: many stacks at many places, and mixed ones" "True True 0" "$(cat "$scratch/judged")"
done
finish
