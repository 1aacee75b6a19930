#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Waits that have not ended when the recording does. Their system calls do not return, and yet they show the user code
# that led to them: by frame pointers with -u, without them with --dwarf.
# two tries: the workload reads clocks, which also stand still when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

readonly FRAMED='framed;nap_outer;nap_middle;' PLAIN='plain;doze_outer;doze_middle;doze_inner;'

# path NAME COMM: the stack of the thread's only wait, folded; its notes go to NAME.notes.
path() {
	"$report" --info --source offcpu --class open -c "^$2\$" "$scratch/$1.rwk" | grep '^  note ' >"$scratch/$1.notes"
	"$report" --folded --source offcpu --class open -c "^$2\$" "$scratch/$1.rwk" 2>/dev/null | sed 's/ [0-9]*$//'
}

check_path() { # WHAT NAME COMM FUNCTIONS
	local got
	got=$(path "$2" "$3")
	check_equal "$1: stacks of $3" 1 "$(grep -c . <<<"$got")"
	check "$1: '$got' has '$4'" grep -qF "$4" <<<"$got"
	check "$1: '$got' goes on in the kernel" grep -q 'pause.*;.*do_syscall_64' <<<"$got"
	check "$1: no user stack is missing, not '$(grep 'without a user' "$scratch/$2.notes")'" \
		test_no_missing "$scratch/$2.notes"
}

test_no_missing() {
	lacks 'without a user stack' "$1"
}

# copied NAME COMM COMMAND...: runs the command, which records NAME. If the helper that copies stacks gets no CPU
# within its deadline, the thread's stack is reported as missing; if that happens to the helper that opens files,
# names are missing. Then the command runs once more.
copied() {
	local try got
	for try in 1 2 3 4 5; do
		"${@:3}" || return
		got=$(path "$1" "$2")
		! test_no_missing "$scratch/$1.notes" || [[ $got == *'[sleepers]'* ]] || return 0
		echo "# $1: stacks were not copied in time, try $try"
	done
}

test_frame_pointers() {
	copied frames sl_framed recorded frames "$record" --offcpu 1 -u --pid "$pid" --force -o "$scratch/frames.rwk" || return
	check_path "by frame pointers" frames sl_framed "$FRAMED"
}

test_dwarf() {
	copied dwarf 'sl_(framed|plain)' recorded dwarf "$record" --offcpu 1 --dwarf --pid "$pid" --force -o "$scratch/dwarf.rwk" || return
	check_path "with a snapshot" dwarf sl_framed "${FRAMED}nap_inner;"
	check_path "without frame pointers" dwarf sl_plain "$PLAIN"
	run_ok condensed "$report" --condense "$scratch/dwarf.rwk" -o "$scratch/condensed.rwk" || return
	"$report" --tree -q "$scratch/dwarf.rwk" >"$scratch/dwarf.tree"
	"$report" --tree -q "$scratch/condensed.rwk" >"$scratch/condensed.tree"
	check "the condensed trace shows the same" cmp "$scratch/dwarf.tree" "$scratch/condensed.tree"
}

# Each unended wait in a system call has a record of its user stack, or of why there is none.
test_all() {
	recorded all "$record" --offcpu 1 -u -o "$scratch/all.rwk" || return
	"$report" --dump "$scratch/all.rwk" | python3 -B -c '
import re
import sys

NOT_ENDED, USER_LATER = 1024, 64
tids, waiting, told = [], [], [] # of threads, and when; a stack may be in a later chunk than its wait
for line in sys.stdin:
    kind = line.split(None, 1)[0] if line.strip() else ""
    fields = dict(re.findall(r"(\w+)=(\w+)", line))
    if kind == "chunk":
        tids = ["0"]
    elif kind == "task":
        tids.append(fields["tid"])
    elif kind == "wait" and int(fields["flags"], 0) & NOT_ENDED and int(fields["flags"], 0) & USER_LATER:
        waiting.append((tids[int(fields["task"])], int(fields["time"])))
    elif kind == "user-stack" and (int(fields["user"]) or int(fields["missing"])):
        told.append((tids[int(fields["task"])], int(fields["time"]), int(fields["since"])))
bare = [1 for tid, end in waiting if not any(tid == of and time - since <= end <= time for of, time, since in told)]
print(len(waiting), len(bare))' >"$scratch/all.counts"
	read -r waits bare <"$scratch/all.counts"
	check_number "waits in system calls that had not ended: $waits" "$waits >= 3"
	check_equal "of them with neither a user stack nor a reason" 0 "$bare"
}

need_offcpu
start_sleepers asleep
test_frame_pointers
test_dwarf
test_all
finish
