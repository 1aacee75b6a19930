#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 900
#
# Task walks on Debian's kernels: the default walk, -s and -w find tasks held by a suspended device, a frozen file
# system, a vfork or the freezer, with the right state, wait and stack.
# Truth: the tasks themselves (when they began to wait), /proc/PID/stat and /proc/PID/stack.
. "$(dirname "$0")/lib.sh"

# w-burn ran for seconds, without a switch, before it slept.
blocked="w-read w-sync w-sync2 w-create w-vfork w-burn"

judge_waits() { # NAME RECORDING NAMES TICKER
	tasks_of "$dir/$2.rwk" >"$dir/$2.list"
	cat "$dir"/ticks-* >"$dir/ticks"
	awk -f tests/vm/judge_walk.awk -v prefix="$1" -v want="$3" -v ticker="$4" \
		-v begin="$(time_of "$2" 4)" -v end="$(time_of "$2" 5)" "$dir/truth" "$dir/ticks" "$dir/$2.list"
}

# Compares the states with the kernel's own, so that the checks below do not rely on a wrong state.
judge_bed() { # NAME
	for name in $blocked; do
		verdict "$1/bed/$name" "/proc says $(oracle_state $name)" [ "$(oracle_state $name)" = D ]
	done
	verdict "$1/bed/w-stop" "/proc says $(oracle_state w-stop)" [ "$(oracle_state w-stop)" = T ]
	case $1 in *-rt) return ;; esac # there, threads do what interrupts do elsewhere, and switch tasks out at every tick
	burned=$(sed -n 's/^burned \([0-9]*\) ns.*/\1/p' "$dir/waiters.err")
	verdict "$1/bed/burned" "w-burn ran only ${burned:-0} ns without a switch" [ "${burned:-0}" -ge 1000000000 ]
}

tid_of() { awk -v name="$1" '$1 == "truth" && $2 == name { print $3 }' "$dir/truth"; }
oracle_state() { sed 's/.*) //; s/ .*//' "$dir/oracle/$(tid_of "$1").stat"; }

# Maps names, one a line, to the address of each, so that aliases of one function compare equal.
addresses() {
	awk 'NR == FNR { if (!($3 in address)) address[$3] = $1; next } { print $1 in address ? address[$1] : $1 }' \
		"$dir/kallsyms" - | tr '\n' ','
}

# The recorded stack ends with the functions of /proc/PID/stack, where the kernel leaves out the scheduler's own.
judge_stack() { # NAME TASK LIST
	sed 's/^\[<0>\] //; s/+0x.*//' "$dir/oracle/$(tid_of "$2").stack" >"$dir/stack.truth"
	awk -F '\t' -v tid="$(tid_of "$2")" '$2 == tid { print $5 }' "$3" | tr ',' '\n' | sed '/^$/d' >"$dir/stack.seen"
	truth=$(addresses <"$dir/stack.truth")
	case $(addresses <"$dir/stack.seen") in
	*"$truth") [ -n "$truth" ] && ok "$1" && return ;;
	esac
	not_ok "$1" "'$(tr '\n' ',' <"$dir/stack.seen")' does not end in '$(tr '\n' ',' <"$dir/stack.truth")'"
}

state_in() { # LIST NAME
	awk -F '\t' -v tid="$(tid_of "$2")" '$2 == tid { print $3 }' "$1"
}

absent() { ! cut -f 1 "$1" | grep -q "^$2\$"; }

# All states: tasks stopped by the freezer and by a signal, idle kernel threads, a sleeper, one that runs.
judge_all() { # NAME LIST
	judge_waits "$1/all" all "$blocked" 1
	for pair in w-stop:T w-sleep:S w-spin:R; do
		name=${pair%:*}
		verdict "$1/all/$name" "state '$(state_in "$2" "$name")'" [ "$(state_in "$2" "$name")" = "${pair#*:}" ]
	done
	verdict "$1/all/w-frozen" "not found" [ -n "$(state_in "$2" w-frozen)" ]
	truth=$(awk '$2 == "I"' "$dir/states" | wc -l)
	seen=$(cut -f 3 "$2" | grep -c '^I')
	# Kernel threads come and go, but most of them stay.
	verdict "$1/all/idle" "$seen tasks in I, /proc saw $truth" between "$seen" $((truth - 5)) $((truth + 5))
	verdict "$1/bed/idle" "/proc saw only $truth tasks in I" [ "$truth" -gt 10 ]
}

judge_kernel() { # NAME
	judge_bed "$1"
	if recorded "$1/walk-run" walk; then
		judge_waits "$1/walk" walk "$blocked" 1
		for name in $blocked; do judge_stack "$1/walk/stack-$name" "$name" "$dir/walk.list"; done
		verdict "$1/walk/no-sleeper" "a task in S is in the default walk" absent "$dir/walk.list" w-sleep
		verdict "$1/walk/no-stopped" "a task in T is in the default walk" absent "$dir/walk.list" w-stop
	fi
	if recorded "$1/stuck-run" stuck; then
		tasks_of "$dir/stuck.rwk" >"$dir/stuck.list"
		verdict "$1/stuck/found" "-s found none of the tasks in D" grep -q "^w-" "$dir/stuck.list"
		judge_waits "$1/stuck" stuck "$(first_names "$dir/stuck.list")"
		verdict "$1/stuck/early" "-s did not stop at the first it found" \
			[ $(($(time_of stuck 5) - $(time_of stuck 4))) -lt 8000000000 ]
	fi
	if recorded "$1/waiting-run" waiting; then
		judge_waits "$1/waiting" waiting "$blocked"
		seconds=$(cat "$dir/waiting-seconds")
		verdict "$1/waiting/all-old" "-w $seconds shows a shorter wait" old_enough "$dir/waiting.list" "$seconds"
		verdict "$1/waiting/young" "w-young is $(young_age) s old, and -w $seconds judged otherwise" judged_young
	fi
	if recorded "$1/all-run" all; then judge_all "$1" "$dir/all.list"; fi
	judge_quiet "$1"
}

# -s may leave out tasks after the first one; those that it shows must be right.
first_names() { cut -f 1 "$1" | grep '^w-' | grep -v w-frozen | sort | tr '\n' ' '; }

old_enough() { awk -F '\t' -v least="$2" '$4 ~ /^[0-9]/ && $4 + 0 < least { bad = 1 } END { exit bad }' "$1"; }

# How long w-young had waited at the time of the walk, which is known from w-read: its truth plus its recorded wait.
young_age() {
	awk -v wait="$(awk -F '\t' '$1 == "w-read" { print $4 }' "$dir/waiting.list")" '
		$1 == "truth" { since[$2] = $5 / 1e9 }
		END { print since["w-read"] + wait - since["w-young"] }' "$dir/truth"
}

# It is left out if it is too young, as is normal unless this machine is very slow; else present. At the limit, either.
judged_young() {
	case $(awk -v age="$(young_age)" -v limit="$seconds" 'BEGIN { d = age - limit; print (d < -0.1 ? "out" : d > 0.1 ? "in" : "either") }') in
	out) absent "$dir/waiting.list" w-young ;;
	in) ! absent "$dir/waiting.list" w-young ;;
	esac
}

# Before anything is stuck, -s must look five times, two seconds apart, and report that nothing is stuck. The ticker is
# almost always in D, but never for a second.
judge_quiet() {
	quiet=$(($(time_of quiet 5) - $(time_of quiet 4)))
	verdict "$1/quiet-run" "ended with $(time_of quiet 3)" [ "$(time_of quiet 3)" = 0 ]
	verdict "$1/quiet/five-times" "took $quiet ns" between $quiet 8000000000 20000000000
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels 6.12-cloud); do
	judged judge_kernel "walk-$kernel" "$kernel" walk.sh
done
exit 0
