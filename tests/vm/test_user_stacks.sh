#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 600
#
# A process whose mm lock is held and wanted has no user stack, is reported to have none, and delays nothing else: the walk
# is complete, and takes no longer than its helper's deadline. Also --dwarf with every source: the BPF programs load, even
# if the end of a stack's mapping cannot be looked up (RT), and the reader unwinds the known call paths of a load
# (guest/frames.c), which frame pointers do not show.
# Truth: the functions of guest/frames.c, as they are written; a read of /proc/PID/maps that hangs.
. "$(dirname "$0")/lib.sh"

# Functions of a task's stack, leaf first; kernel functions are those that /proc shows, and the entry.
stack_of() { awk -F '\t' -v name="$2" '$1 == name { print $5 }' "$dir/$1.list"; }

note_of() { awk -v name="$2" '/^comm / { on = index($0, "comm " name " ") == 1 } /^#/ { on = 0 } on' "$dir/$1.rwk.tasks" | grep -c "$3"; }

# NAME TASK FUNCTIONS : a wait that has not ended has these user functions, outermost first.
judge_wait() {
	paths=$("$REPORT" --folded --class open -c "^$2\$" "$dir/events.rwk" 2>/dev/null)
	verdict "$1/waits/$2" "the stacks are '$paths'" path_among "$paths" "$3"
}

path_among() { case ";$1;" in *";$2;"*) ;; *) false ;; esac; }

# event NAME SOURCE WORDS : ok if some stack of the source has the words in this order
event() {
	reported "$dir/$2.folded" 0 --folded --source "$2" "$dir/events.rwk"
	verdict "$1" "no stack has '$3' in '$dir/$2.folded' ($(grep -c . "$dir/$2.folded") lines)" grep -qE "$3" "$dir/$2.folded"
}

judge_events() { # NAME
	recorded "$1/events-run" events || return
	reported "$dir/events.info" 0 --info "$dir/events.rwk"
	count=$(grep -oE '[0-9]+ snapshot' "$dir/events.info" | head -n 1)
	count=${count%% *}
	verdict "$1/events/snapshots" "${count:-no} snapshots in '$dir/events.info'" [ "${count:-0}" -gt 100 ]
	event "$1/events/cpu" cpu '^frames;.*;burner;frames_outer;frames_middle;frames_burn'
	event "$1/events/wait" offcpu '^frames;.*;napper;frames_nap;frames_sleep;.*nanosleep'
	event "$1/events/hit" tracepoint '^frames;.*;writer;frames_loop;frames_write;'
	for name in mm-reader mm-writer; do
		judge_wait "$1" "$name" "$name"
	done
	"$REPORT" --info --class open -c "^$name\$" "$dir/events.rwk" >"$dir/waits.info"
	verdict "$1/waits/locked" "$(grep 'without a user' "$dir/waits.info")" \
		grep -q 'without a user stack: its memory was locked' "$dir/waits.info"
}

judge_kernel() { # NAME
	verdict "$1/held" "the mm lock was not held" grep -q '^held ' "$dir/truth"
	for run in kernel-only frames dwarf all; do
		recorded "$1/$run-run" $run && tasks_of "$dir/$run.rwk" >"$dir/$run.list"
	done
	for run in frames dwarf all; do
		for name in mm-reader mm-writer; do
			verdict "$1/$run/$name" "it is not said to have been locked" [ "$(note_of $run $name 'its memory was locked')" = 1 ]
		done
		verdict "$1/$run/w-vfork" "it is said to have been locked" [ "$(note_of $run w-vfork 'its memory was locked')" = 0 ]
		missing=$(cut -f 1 "$dir/kernel-only.list" | grep -E '^(w|mm)-' | while read -r name; do
			[ -n "$(stack_of $run "$name")" ] || echo "$name"
		done)
		verdict "$1/$run/complete" "not there: $missing" [ -z "$missing" ]
	done
	judge_events "$1"
	verdict "$1/all/kernel-thread" "a kernel thread has a user stack" [ "$(note_of all kthreadd 'user stack')" = 0 ]
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels 6.1-cloud); do
	judged judge_kernel "user_stacks-$kernel" "$kernel" user_stacks.sh
done
exit 0
